# A server and its clients in one process, and processes that it starts.
# needs: node nodejs
node -e '
const http = require("http"), { execFile } = require("child_process");
const server = http.createServer((ask, answer) => answer.end(ask.url.repeat(500)));
server.listen(process.cwd() + "/socket", async () => {
  const get = (n) => new Promise((done) => http.get({ socketPath: process.cwd() + "/socket", path: "/" + n }, (answer) => {
    let text = ""; answer.on("data", (part) => (text += part)); answer.on("end", () => done(text.length)); }));
  let sum = 0;
  for (let turn = 0; turn < 20; turn++) for (const length of await Promise.all([...Array(50).keys()].map(get))) sum += length;
  console.log("bytes", sum);
  server.close();
  const run = (n) => new Promise((done) => execFile(process.execPath, ["-p", `${n} * ${n}`], (error, out) => done(out.trim())));
  console.log((await Promise.all([2, 3, 4].map(run))).join(" "));
});'
