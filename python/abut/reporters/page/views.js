// Curves, the matrix of what is used together, pages, and one context looked at closely.
function drawCurves(report, best) {
  const run = report.run;
  if (!run.accesses || !run.curve || !run.curve.bytes.length) return;
  const node = section("curves", "Misses over cache size", "What fully associative caches of every size would miss. The dots are the fewest misses that any policy could have; where the curve falls steeply, a slightly tighter layout pays.");
  const points = (curve) => curve.bytes.map((one, i) => [one, curve.ratios[i]]);
  const band = (curve) => curve.bytes.map((one, i) => [one, Math.max(0, curve.ratios[i] - 2 * curve.errors[i]), curve.ratios[i] + 2 * curve.errors[i]]);
  const at = (size) => { const i = run.curve.bytes.findIndex((one) => one >= size); return run.curve.ratios[i < 0 ? run.curve.ratios.length - 1 : i]; };
  const lines = [{ name: best ? "as recorded" : "LRU, as recorded", colour: "var(--used)", points: points(run.curve), band: run.curve.rate < 1 ? band(run.curve) : [] }];
  if (best && best.curve) lines.push({ name: best.name, colour: COLOURS[5], dash: "7 3", points: points(best.curve) });
  if (run.floors.length) lines.push({ name: "the best policy, as recorded", colour: COLOURS[2], dots: true, dash: "2 4",
    points: run.floors.map((one) => [one.bytes, at(one.bytes) * (one.lru ? one.optimum / one.lru : 1)]) });
  const pair = h("div", { class: "pair" });
  pair.append(lineChart({ label: "Miss ratio over capacity", log: true, lines, marks: report.preset.levels.map((one) => ({ x: one.bytes, name: one.name })), xText: bytes, yText: percent }));
  const kinds = [["compulsory", OTHERS], ["capacity", "var(--used)"], ["conflict", COLOURS[0]]];
  pair.append(stackedBars({ label: "Why they miss", shares: true, text: count, parts: kinds.map(([name, colour]) => ({ name, colour })),
    rows: run.levels.map((level) => ({ name: level.name, values: kinds.map(([name]) => sum(level.classes[name])), say: `${count(sum(level.misses))} misses` })) }));
  node.append(pair);
  if (run.curve.rate < 1) node.append(h("p", { class: "soft" }, `From a sample of ${percent(run.curve.rate)} of the lines; the shade is two standard errors. The optimum is that of a part of the run, scaled.`));
  node.append(table("curve", ["capacity", "miss ratio", "standard error"], run.curve.bytes.map((one, i) => [bytes(one), percent(run.curve.ratios[i]), percent(run.curve.errors[i])])));
  node.append(table("levels", ["level", "accesses", "misses", "the allocator's", ...kinds.map(([name]) => name)], [...run.levels, ...run.tlb].map((level) =>
    [level.name, exact(sum(level.accesses)), exact(sum(level.misses)), exact(level.misses[1]), ...kinds.map(([name]) => exact(sum(level.classes[name])))])));
}

function drawPairs(report, best) {
  const pairs = report.run.pairs, ids = pairs.ids;
  if (ids.length < 1 || !report.run.accesses) return;
  const node = section("pairs", "What is used together", "Each cell counts how often objects of two contexts were used within four objects of each other. Strong colour off the diagonal: these belong on the same lines. A ring marks pairs whose objects do share lines in the layout shown.");
  const byId = new Map(report.run.contexts.map((one) => [one.id, one]));
  const cell = Math.max(16, Math.min(30, 560 / ids.length)), left = 350, top = 30, size = left + cell * ids.length + 10;
  const most = Math.log2(1 + Math.max(1, ...pairs.matrix.flat()));
  const holder = h("div", {});
  let source = report.run;
  const draw = () => {
    const mates = new Map(source.contexts.map((one) => [one.id, new Map(one.mates)]));
    const chart = s("svg", { viewBox: `0 0 ${size} ${top + cell * ids.length + 8}`, style: `max-width:${size}px`, role: "img", tabindex: 0, "aria-label": "matrix of contexts used together. Arrow keys move." });
    let at = [0, 0];
    const words = (i, j) => {
      const shared = mates.get(ids[i])?.get(ids[j]) || mates.get(ids[j])?.get(ids[i]) || 0;
      return `${byId.get(ids[i]).name}\nwith ${byId.get(ids[j]).name}\nused together ${exact(pairs.matrix[i][j])} times${shared ? `\n${exact(shared)} pairs of their objects share a line` : ""}`;
    };
    ids.forEach((id, i) => {
      const name = byId.get(id).name;
      chart.append(telling(s("text", { x: left - 8, y: top + i * cell + cell / 2 + 4, "text-anchor": "end", style: "font-size:11px" }, `${shortened(name, 46)}  ${i + 1}`), name),
        s("text", { class: "soft", x: left + i * cell + cell / 2, y: top - 8, "text-anchor": "middle" }, i + 1));
      ids.forEach((other, j) => {
        const value = pairs.matrix[i][j];
        const share = Math.log2(1 + value) / most;
        const x = left + j * cell, y = top + i * cell;
        chart.append(telling(s("rect", { x, y, width: cell - 1, height: cell - 1, fill: value ? "var(--main)" : "var(--raised)", "fill-opacity": value ? 0.08 + 0.92 * share ** 2 : 1 }), words(i, j)));
        const ring = { cx: x + cell / 2 - 0.5, cy: y + cell / 2 - 0.5, r: cell / 4, fill: "none", "pointer-events": "none" };
        if (mates.get(id)?.has(other)) chart.append(s("circle", { ...ring, stroke: "var(--ground)", "stroke-width": 4 }), s("circle", { ...ring, stroke: "var(--mark)", "stroke-width": 1.8 }));
      });
    });
    const cursor = s("rect", { width: cell - 1, height: cell - 1, fill: "none", stroke: "var(--focus)", "stroke-width": 2, visibility: "hidden" });
    chart.append(cursor);
    chart.addEventListener("keydown", (event) => {
      const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
      if (!step) return;
      event.preventDefault();
      at = at.map((one, i) => Math.max(0, Math.min(ids.length - 1, one + step[i])));
      cursor.setAttribute("x", left + at[1] * cell); cursor.setAttribute("y", top + at[0] * cell); cursor.setAttribute("visibility", "visible");
      const box = cursor.getBoundingClientRect();
      say(words(at[0], at[1]), box.right, box.bottom);
    });
    chart.addEventListener("blur", () => { cursor.setAttribute("visibility", "hidden"); hush(); });
    holder.replaceChildren(chart);
  };
  if (best) node.append(choice("rings of", [["run", "as recorded"], ["best", best.name]], "run", (value) => { source = value === "run" ? report.run : best; draw(); }));
  node.append(holder);
  draw();
  const rows = [];
  ids.forEach((id, i) => ids.forEach((other, j) => { if (j <= i && pairs.matrix[i][j]) rows.push([pairs.matrix[i][j], byId.get(id).name, byId.get(other).name]); }));
  rows.sort((a, b) => b[0] - a[0]);
  node.append(table("pairs", ["context", "with", "times"], rows.slice(0, 300).map(([times, one, other]) => [one, other, exact(times)])));
}

function drawPages(runs) {
  const some = runs.filter(({ report }) => report.run.pages && report.run.pages.memories.length);
  if (!some.length) return;
  const node = section("pages", "Pages", "How often a page would be missed if the machine had less memory than the program uses, and how many of those misses the kernel's reading ahead from swap would cover.");
  eachRun(node, some, fillPages);
}

function fillPages(node, report) {
  const pages = report.run.pages;
  const pair = h("div", { class: "pair" });
  const points = (row) => pages.memories.map((one, i) => [one * 4096, row[i]]);
  pair.append(lineChart({ label: `Page misses over memory; at most ${bytes(pages.most * 4096)} in use for ${bytes(pages.most_live_bytes)} of live data`, yText: count, xText: bytes,
    lines: [{ name: "all", colour: "var(--used)", points: points(pages.misses[0].map((one, i) => one + pages.misses[1][i])) }, { name: "the allocator's", colour: COLOURS[0], dash: "6 3", points: points(pages.misses[1]) }] }));
  pair.append(stackedBars({ label: "What reading ahead from swap covers", shares: true, text: count, parts: [{ name: "covered", colour: COLOURS[2] }, { name: "not covered", colour: COLOURS[5] }],
    rows: pages.prefetch.map((one) => ({ name: `${bytes(one.memory * 4096)} of memory`, values: [one.prefetchable, one.others], say: `${count(one.prefetchable + one.others)} misses` })) }));
  node.append(pair);
  node.append(table("pages", ["memory", "the application's misses", "the allocator's"], pages.memories.map((one, i) => [bytes(one * 4096), exact(pages.misses[0][i]), exact(pages.misses[1][i])])));
  node.append(table("reading ahead", ["memory", "misses", "covered", "share"], pages.prefetch.map((one) => {
    const all = one.prefetchable + one.others;
    return [bytes(one.memory * 4096), exact(all), exact(one.prefetchable), percent(all ? one.prefetchable / all : null)];
  })));
}

let openContext = () => {};
function drawContexts(runs) {
  const some = runs.filter(({ report }) => report.run.contexts.length);
  if (!some.length) return;
  const node = section("contexts", "One context closely", "A context is the call chain that allocated. Which sizes, how long they live, which of their bytes are hot, and whose objects lie on the same lines.");
  const choose = eachRun(node, some, fillContexts);
  openContext = (id, place) => {
    choose(some.indexOf(runs[place]));
    const pick = document.getElementById("pick");
    pick.value = String(id);
    pick.dispatchEvent(new Event("change"));
    node.scrollIntoView();
    pick.focus({ preventScroll: true });
  };
}

function fillContexts(node, report, best) {
  const run = report.run;
  const pick = h("select", { id: "pick", "aria-label": "context" }, run.contexts.map((one) => h("option", { value: one.id }, shortened(one.name, 110))));
  const stage = h("div", {});
  const sizeName = (bin) => (bin < 32 ? `${bin * 16 + 1}–${bin * 16 + 16} B` : `≤ ${bytes(1024 * 2 ** (bin - 32))}`);
  const lifeName = (bin) => (bin ? `< 2^${bin}` : "0");
  const nameOf = (id) => run.contexts.find((one) => one.id === id)?.name || (id ? `context ${id}, not shown` : "unknown");
  const draw = () => {
    const one = run.contexts.find((row) => row.id === Number(pick.value));
    const cut = (values) => { const first = values.findIndex(Boolean); return first < 0 ? [0, []] : [first, values.slice(first)]; };
    const [size, sizes] = cut(one.sizes), [life, lives] = cut(one.lives);
    const words = Math.max(one.reads.length, one.writes.length);
    const fields = [...Array(words).keys()].map((i) => (i < 64 ? `+${i * 8}` : "+512 …"));
    stage.replaceChildren(
      h("p", { class: "code" }, one.frames.join("  <  ") || one.name),
      h("p", {}, `${exact(one.objects)} objects, ${bytes(one.bytes)} in all, at most ${bytes(one.most_live)} at once; ${exact(one.immortal)} never freed. ${exact(one.accesses)} accesses, ${one.misses.map((value, i) => `${exact(value)} misses of ${run.levels[i].name}`).join(", ") || "none of them looked at"}.`),
      h("div", { class: "pair" },
        histogram({ label: "Sizes at birth", names: sizes.map((_, i) => sizeName(i + size)), text: exact, series: [{ name: "objects", colour: "var(--used)", values: sizes }] }),
        histogram({ label: "Lives, in accesses of the whole program", names: lives.map((_, i) => lifeName(i + life)), text: exact, series: [{ name: "objects freed", colour: "var(--used)", values: lives }] }),
        histogram({ label: "Heat by offset in the object, in words of 8 bytes; a dashed line each 64 bytes", names: fields, text: exact, lines: [8, 16, 24, 32, 40, 48, 56, 64].filter((line) => line <= words), series: [{ name: "reads", colour: "var(--used)", values: one.reads }, { name: "writes", colour: COLOURS[0], values: one.writes }] }),
        h("figure", {}, h("figcaption", {}, "Whose objects share its lines, when the heap was fullest"), h("ol", {}, one.mates.map(([id, pairs]) => h("li", {}, h("span", { class: "name" }, id === one.id ? "its own" : nameOf(id)), h("span", { class: "soft" }, `: ${exact(pairs)} pairs`)))),
          best ? h("p", { class: "soft" }, `With ${best.name}:`) : null,
          best ? h("ol", {}, (best.contexts.find((row) => row.id === one.id)?.mates || []).map(([id, pairs]) => h("li", {}, h("span", { class: "name" }, id === one.id ? "its own" : nameOf(id)), h("span", { class: "soft" }, `: ${exact(pairs)} pairs`)))) : null)),
      table("sizes", ["bytes", "objects"], sizes.map((value, i) => [sizeName(i + size), exact(value)])),
      table("lives", ["accesses", "objects freed"], lives.map((value, i) => [lifeName(i + life), exact(value)])),
      table("offsets", ["offset", "reads", "writes"], fields.map((name, i) => [name, exact(one.reads[i] || 0), exact(one.writes[i] || 0)])));
  };
  pick.addEventListener("change", draw);
  node.append(h("div", { class: "tools" }, h("label", { for: "pick" }, "context"), pick), stage);
  draw();
}
