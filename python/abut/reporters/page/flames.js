// Flame graphs, which Chart.js has not: each box is a function, as wide as the misses of all that stands on it; a click widens it.
const FLAME_TINTS = ["#f5c26b", "#8ccbf0", "#7fd0b4", "#f2e88a", "#e8a27c", "#dba7c5"];
const tintOf = (name) => { let sum = 0; for (const one of name) sum = (sum * 31 + one.codePointAt(0)) % 9973; return FLAME_TINTS[sum % FLAME_TINTS.length]; };
// Blue where there is less than before, orange where there is more.
function differenceTint(node, whole) {
  const share = Math.max(-1, Math.min(1, (4 * node.d) / whole));
  const from = [236, 236, 236], to = share < 0 ? [230, 130, 40] : [70, 150, 215];
  return rgb(from.map((one, i) => Math.round(one + (to[i] - one) * Math.abs(share))));
}

function depthOf(node) { return 1 + Math.max(0, ...(node.c || []).map(depthOf)); }

function flameGraph(root, { unit, difference = false }) {
  const width = 1180, tall = 19, holder = h("div", { class: "flame" });
  const path = [root];
  const draw = (focusFirst) => {
    const focus = path[path.length - 1];
    const levels = Math.min(28, depthOf(focus) + path.length - 1);
    const chart = s("svg", { viewBox: `0 0 ${width} ${levels * tall + 2}`, role: "tree", "aria-label": "flame graph: arrow keys move, Enter widens, Escape goes back" });
    const boxes = [];
    const box = (node, x, span, level, act) => {
      if (span < 1.2 || level >= levels) return;
      const words = difference ? `${node.n}\nbefore ${exact(node.w)} ${unit}, change ${node.d > 0 ? "-" : "+"}${exact(Math.abs(node.d))}` : `${node.n}\n${exact(node.w)} ${unit}, ${percent(node.w / (root.w || 1))}`;
      const group = s("g", { tabindex: boxes.length ? -1 : 0, role: "treeitem", "aria-label": words.replace("\n", ": "), onclick: act },
        s("rect", { x, y: level * tall, width: span, height: tall - 1, rx: 2, fill: difference ? differenceTint(node, root.w || 1) : tintOf(node.n) }));
      if (span > 34) group.append(s("text", { x: x + 4, y: level * tall + 13.5 }, shortened(node.n, Math.floor(span / 6.6))));
      boxes.push({ group, level, x, act });
      chart.append(telling(group, words));
    };
    path.forEach((node, level) => box(node, 0, width, level, () => { path.length = level + 1; draw(true); }));
    const stand = (node, x, span, level, trail) => {
      let at = x;
      for (const child of node.c || []) {
        const part = span * (child.w / (node.w || 1)), steps = [...trail, child];
        box(child, at, part, level, () => { path.push(...steps); draw(true); });
        stand(child, at, part, level + 1, steps);
        at += part;
      }
    };
    stand(focus, 0, width, path.length, []);
    chart.addEventListener("keydown", (event) => {
      const here = boxes.findIndex((one) => one.group === document.activeElement);
      if (event.key === "Escape" && path.length > 1) { path.pop(); draw(true); return; }
      if (here < 0) return;
      const now = boxes[here];
      let next = null;
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); now.act(); return; }
      if (event.key === "ArrowRight") next = boxes.find((one, i) => i > here && one.level === now.level);
      if (event.key === "ArrowLeft") next = boxes.slice(0, here).reverse().find((one) => one.level === now.level);
      if (event.key === "ArrowDown") next = boxes.find((one) => one.level === now.level + 1 && one.x >= now.x - 0.01);
      if (event.key === "ArrowUp") next = boxes.slice(0, here).reverse().find((one) => one.level === now.level - 1 && one.x <= now.x + 0.01);
      if (next) { event.preventDefault(); next.group.focus(); }
    });
    holder.replaceChildren(chart);
    hush();
    if (focusFirst) boxes[Math.min(path.length, boxes.length) - 1].group.focus({ preventScroll: true });
  };
  draw(false);
  return holder;
}

function flameRows(node, trail, rows) {
  for (const child of node.c || []) {
    if (rows.length > 300) return rows;
    const steps = [...trail, child.n];
    rows.push([steps.slice(-4).join(" > "), exact(child.w), ...(child.d === undefined ? [] : [exact(-child.d)])]);
    flameRows(child, steps, rows);
  }
  return rows;
}

function drawFlames(report, differences) {
  const kinds = [["context", "who allocated", report.run.flames]];
  if (report.run.code_flames) kinds.push(["code", "the code that missed", report.run.code_flames]);
  if (differences) kinds.push(["difference", differences.name, differences.flames]);
  if (!report.run.accesses) return;
  const node = section("flames", "Where misses come from", "Each box is a function; it is as wide as the misses of the objects that were allocated under it, or of the instructions in it. Click a box to widen it.");
  let kind = "context", level = 0;
  const stage = h("div", {}), below = h("div", {});
  const draw = () => {
    const [, words, flames] = kinds.find(([one]) => one === kind);
    const flame = flames[Math.min(level, flames.length - 1)];
    const difference = kind === "difference";
    stage.replaceChildren(h("p", { class: "soft" }, `${words}: ${exact(flame.root.w)} misses of ${flame.level}${difference ? `; with the other ${exact(flame.root.w - flame.root.d)}. Blue is less with the other, orange is more` : ""}`), flameGraph(flame.root, { unit: "misses", difference }));
    below.replaceChildren(table(`misses of ${flame.level}, by ${kind}`, ["last steps", "misses", ...(difference ? ["change"] : [])], flameRows(flame.root, [], [])));
  };
  node.append(h("div", { class: "tools" }, choice("by", kinds.map(([value, text]) => [value, text]), kind, (value) => { kind = value; draw(); }),
    choice("misses of", report.run.levels.map((one, i) => [i, one.name]), 0, (value) => { level = Number(value); draw(); })), stage, below);
  if (!report.run.code_flames) node.append(h("p", { class: "soft" }, "Which code missed is not in this trace: record with --sites."));
  draw();
}
