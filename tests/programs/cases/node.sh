# Objects, buffers, compression, cryptography, JSON, worker threads, child processes.
# needs: node nodejs
cat > work.js <<'JS'
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const crypto = require('crypto'), zlib = require('zlib'), fs = require('fs'), cp = require('child_process');
const hash = (data) => crypto.createHash('sha256').update(data).digest('hex').slice(0, 16);

function build(seed, count) {
  let state = seed;
  const rnd = (n) => (state = (state * 48271) % 2147483647) % n;
  const table = new Map(), buffers = [];
  for (let i = 0; i < count; i++) {
    table.set('k' + rnd(count), { i, list: Array.from({ length: rnd(8) }, () => rnd(100)) });
    if (i % 7 === 0) buffers.push(Buffer.alloc(rnd(5000), i));
    if (buffers.length > 500) buffers.splice(0, 250);
  }
  return hash(JSON.stringify([...table].sort()) + Buffer.concat(buffers).toString('latin1'));
}

if (!isMainThread) {
  const shared = new Uint8Array(workerData.shared);
  shared[workerData.n] = workerData.n;
  parentPort.postMessage({ n: workerData.n, hash: build(workerData.n + 1, 5000), block: new ArrayBuffer(100000) });
} else {
  (async () => {
    console.log(build(7, 20000));
    const text = 'a line of text, again and again\n'.repeat(50000);
    for (const [pack, unpack] of [['gzipSync', 'gunzipSync'], ['brotliCompressSync', 'brotliDecompressSync'], ['deflateSync', 'inflateSync']]) {
      const packed = zlib[pack](text, { level: 6 });
      console.log(pack, packed.length, zlib[unpack](packed).toString() === text);
    }
    console.log(hash(crypto.pbkdf2Sync('p', 's', 1000, 64, 'sha512')), hash(crypto.scryptSync('p', 's', 64)));
    const { privateKey, publicKey } = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' });
    console.log(crypto.verify('sha256', Buffer.from(text), publicKey, crypto.sign('sha256', Buffer.from(text), privateKey)));
    const shared = new SharedArrayBuffer(16);
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(Array.from({ length: 6 }, (_, n) => new Promise((done, fail) => {
        const worker = new Worker(__filename, { workerData: { n, shared } });
        worker.on('message', done); worker.on('error', fail);
      })));
      console.log(answers.map((a) => `${a.n}:${a.hash}:${a.block.byteLength}`).join(' '));
    }
    console.log([...new Uint8Array(shared)].join(','));
    for (let i = 0; i < 5; i++) console.log(cp.execFileSync(process.execPath, ['-e', `console.log(${i} * ${i})`]).toString().trim());
    fs.writeFileSync('out.bin', Buffer.alloc(3000000, 5));
    console.log((await fs.promises.readFile('out.bin')).length, eval('1+1'), BigInt(3) ** 2000n % 1000007n);
  })();
}
JS
node work.js
