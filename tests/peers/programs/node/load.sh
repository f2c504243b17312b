# Ten minutes of a server under load: workers come and go, buffers are compressed, requests are answered.
# needs: node nodejs
LOAD_SECONDS=${LOAD_SECONDS:-600} node -e '
const http = require("http"), zlib = require("zlib"), { Worker } = require("worker_threads");
const end = Date.now() + 1000 * process.env.LOAD_SECONDS, path = process.cwd() + "/socket";
const server = http.createServer((ask, answer) => {
  let body = ""; ask.on("data", (part) => (body += part));
  ask.on("end", () => zlib.gzip(JSON.stringify({ body, list: [...Array(200).keys()] }), (error, packed) => answer.end(packed)));
});
const ask = (n) => new Promise((done, fail) => {
  const call = http.request({ socketPath: path, method: "POST" }, (answer) => {
    const parts = []; answer.on("data", (part) => parts.push(part));
    answer.on("end", () => done(JSON.parse(zlib.gunzipSync(Buffer.concat(parts))).body.length === n));
  });
  call.on("error", fail); call.end("x".repeat(n));
});
const work = (n) => new Promise((done, fail) => {
  const worker = new Worker(`const { parentPort: port } = require("worker_threads"); const kept = new Map();
    for (let i = 0; i < 50000; i++) kept.set("k" + (i * 7919) % 3000, Buffer.alloc(i % 700, i)); port.postMessage(kept.size)`, { eval: true });
  worker.on("message", done); worker.on("error", fail);
});
server.listen(path, async () => {
  let wrong = 0;
  while (Date.now() < end) {
    const right = await Promise.all([...Array(40).keys()].map((n) => ask(1 + n * 997)));
    wrong += right.filter((one) => !one).length;
    wrong += (await Promise.all([1, 2].map(work))).filter((size) => size !== 3000).length;
  }
  console.log("wrong answers:", wrong);
  server.close();
});'
