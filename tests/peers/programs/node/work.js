// Workers that allocate, pass messages, compress and end, several generations of them.
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const crypto = require('crypto');
const zlib = require('zlib');

function work(seed) {
  const found = new Map();
  let state = seed >>> 0;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0);
  for (let i = 0; i < 60000; i++) {
    const key = 'k' + (next() % 5000);
    const list = found.get(key) || [];
    list.push({ value: next() % 1000, text: 'x'.repeat(i % 50) });
    if (list.length > 20) found.delete(key);
    else found.set(key, list);
  }
  const text = JSON.stringify([...found].sort());
  const packed = zlib.gzipSync(text, { level: 6 });
  const buffers = [];
  for (let i = 1; i < 200; i++) buffers.push(Buffer.alloc(i * 700, i));
  const same = zlib.gunzipSync(packed).toString() === text;
  const digest = crypto.createHash('sha256').update(text).update(Buffer.concat(buffers)).digest('hex');
  return `${seed} ${found.size} ${same} ${digest}`;
}

if (isMainThread) {
  const one = (seed) => new Promise((resolve, reject) => {
    const worker = new Worker(__filename, { workerData: seed });
    let answer;
    worker.on('message', (message) => { answer = message; });
    worker.on('error', reject);
    worker.on('exit', (code) => resolve(`${answer.line} ${new Uint8Array(answer.bytes).length} exit ${code}`));
  });
  (async () => {
    for (let turn = 0; turn < 4; turn++) {
      const lines = await Promise.all([1, 2, 3, 4].map((n) => one(turn * 10 + n)));
      console.log(lines.join('\n'));
    }
    console.log(work(1000));
  })();
} else {
  const bytes = new ArrayBuffer(1 << 20);
  parentPort.postMessage({ line: work(workerData), bytes }, [bytes]);
}
