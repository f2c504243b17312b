# Objects, buffers, compression, cryptography, JSON, worker threads, child processes.
# needs: node nodejs
cat > work.js <<'JS'
const crypto = require('crypto'), zlib = require('zlib'), fs = require('fs'), cp = require('child_process');
const hash = (data) => crypto.createHash('sha256').update(data).digest('hex').slice(0, 16);

(async () => {
  const text = 'a line of text, again and again\n'.repeat(50000);
  for (const [pack, unpack] of [['gzipSync', 'gunzipSync'], ['brotliCompressSync', 'brotliDecompressSync'], ['deflateSync', 'inflateSync']]) {
    const packed = zlib[pack](text, { level: 6 });
    console.log(pack, packed.length, zlib[unpack](packed).toString() === text);
  }
  console.log(hash(crypto.pbkdf2Sync('p', 's', 1000, 64, 'sha512')), hash(crypto.scryptSync('p', 's', 64)));
  const { privateKey, publicKey } = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' });
  console.log(crypto.verify('sha256', Buffer.from(text), publicKey, crypto.sign('sha256', Buffer.from(text), privateKey)));
  for (let i = 0; i < 5; i++) console.log(cp.execFileSync(process.execPath, ['-e', `console.log(${i} * ${i})`]).toString().trim());
  fs.writeFileSync('out.bin', Buffer.alloc(3000000, 5));
  console.log((await fs.promises.readFile('out.bin')).length, eval('1+1'), BigInt(3) ** 2000n % 1000007n);
})();
JS
cat > workers.js <<'JS'
// Workers that share memory, allocate, pass messages, compress and end, several generations of them.
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const crypto = require('crypto');
const zlib = require('zlib');

function work(seed) {
  const found = new Map();
  let state = seed >>> 0;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0);
  for (let i = 0; i < 20000; i++) {
    const key = 'k' + (next() % 5000);
    const list = found.get(key) || [];
    list.push({ value: next() % 1000, text: 'x'.repeat(i % 50) });
    if (list.length > 20) found.delete(key);
    else found.set(key, list);
  }
  const text = JSON.stringify([...found].sort());
  const packed = zlib.gzipSync(text, { level: 6 });
  const buffers = [];
  for (let i = 1; i < 100; i++) buffers.push(Buffer.alloc(i * 700, i));
  const same = zlib.gunzipSync(packed).toString() === text;
  const digest = crypto.createHash('sha256').update(text).update(Buffer.concat(buffers)).digest('hex');
  return `${seed} ${found.size} ${same} ${digest}`;
}

if (isMainThread) {
  const shared = new SharedArrayBuffer(64);
  const one = (seed) => new Promise((resolve, reject) => {
    const worker = new Worker(__filename, { workerData: { seed, shared } });
    let answer;
    worker.on('message', (message) => { answer = message; });
    worker.on('error', reject);
    worker.on('exit', (code) => resolve(`${answer.line} ${new Uint8Array(answer.bytes).length} exit ${code}`));
  });
  (async () => {
    for (let turn = 0; turn < 3; turn++) {
      const lines = await Promise.all([1, 2, 3, 4].map((n) => one(turn * 10 + n)));
      console.log(lines.join('\n'));
    }
    console.log([...new Uint8Array(shared)].join(','), work(1000));
  })();
} else {
  new Uint8Array(workerData.shared)[workerData.seed] = workerData.seed;
  const bytes = new ArrayBuffer(1 << 20);
  parentPort.postMessage({ line: work(workerData.seed), bytes }, [bytes]);
}
JS
node work.js
node workers.js
