// Who waits for memory, why, and what would change it; structures with their heat; how two runs differ; memory.
function copyButton(text) {
  const button = h("button", { type: "button", class: "copy", onclick: async () => {
    try { await navigator.clipboard.writeText(text); } catch {
      const area = h("textarea", { class: "skip" }, text);
      document.body.append(area); area.select(); document.execCommand("copy"); area.remove();
    }
    button.textContent = "copied";
  } }, "copy");
  return button;
}
function actionBox(title, gain, why, code) {
  return [h("b", {}, title), h("span", { class: "gain" }, gain), h("p", { class: "soft" }, why), h("div", { class: "next" }, copyButton(code), h("pre", {}, code))];
}

const LINE_PARTS = [["used", "used", "var(--used)"], ["own", "the same object's", COLOURS[0]], ["alike", "others' of its kind", COLOURS[1]], ["others", "other contexts'", COLOURS[5]], ["empty", "no object's", OTHERS]];
function drawCulprits(reports) {
  const some = reports.map((report, i) => ({ report, name: doc.reports[i].trace.path })).filter(({ report }) => report.advice && report.advice.culprits.length);
  if (!some.length) return;
  const node = section("culprits", "Culprits", "What waits for memory, by the line of the program that allocates it. Gains are simulated: each change was tried on the recorded accesses, under three variants of the machine.");
  if (doc.changes.length) node.append(h("h3", {}, "What differs between the runs"), openTable("cycles waited, in millions", ["what, where", "before", "after", "change"], doc.changes.map((one) =>
    [one.name, count(one.before / 1e6), count(one.after / 1e6), `${one.after > one.before ? "+" : ""}${count((one.after - one.before) / 1e6)}`])));
  eachRun(node, some, (part, report) => {
    const rows = report.advice.culprits.filter((one) => one.action || one.lost >= 0.001);
    part.append(openTable("culprits", ["what, where", "waits", ...report.run.levels.map((one) => `${one.name} misses`), "of lines used", "of pages", "reason", "to gain"], rows.map((one) =>
      [one.name, percent(one.lost), ...report.run.levels.map((_, i) => exact(one.misses[i])), percent(one.misses[0] ? one.use.used : null), percent(one.page_use), one.reason || "–", one.action ? percent(one.gain) : "nothing"])));
    rows.slice(0, 10).forEach((one, i) => part.append(culpritDetails(one, i === 0)));
  });
}
function culpritDetails(one, open) {
  const use = one.misses[0] ? stackedBars({ label: "What its lines hold", shares: true, text: percent, parts: LINE_PARTS.map(([, name, colour]) => ({ name, colour })),
    rows: [{ name: "a line", values: LINE_PARTS.map(([key]) => one.use[key]), say: `${percent(one.use.used)} used` }] }) : null;
  const fields = one.fields;
  return h("details", { open, class: "culprit" }, h("summary", {}, `${one.name}: ${percent(one.lost)}`),
    h("p", {}, `${exact(one.objects)} objects${one.size ? ` of ${one.size} bytes` : ""}. ${one.reason ? `${one.reason}: ` : ""}${one.why}.${one.page_use === null ? "" : ` Of each page of 4 KiB that they bring in, ${percent(one.page_use)} is used.`}`),
    one.action ? h("div", {}, actionBox(one.action.title, `${percent(one.gain)} less time predicted, ${percent(one.low)} to ${percent(one.high)} on other machines`, "", one.action.code)) : null,
    one.tried.length ? h("p", { class: "soft" }, `Tried: ${one.tried.map((trial) => `${trial.kind} ${percent(trial.gain)}`).join(", ")}.`) : null, use,
    fields ? h("div", { class: "pair" }, h("figure", {}, h("figcaption", {}, fields.known ? "Its fields: offset, bytes, heat" : "Its words: offset, bytes, heat (no debug information)"), h("pre", { class: "struct", tabindex: 0, role: "region", "aria-label": `fields of ${fields.name}` }, fields.now)),
      h("figure", {}, h("figcaption", {}, "Used together"), h("ul", {}, fields.together.map((set) => h("li", {}, `${percent(set.share)}: ${set.fields.join(", ")}`))))) : null,
    h("details", {}, h("summary", {}, "the whole chain"), h("ol", { class: "code" }, one.frames.map((frame) => h("li", {}, frame)))));
}

// What threads take from each other; nothing where no line is written by one and used by another.
function drawSharing(reports) {
  const some = reports.map((report) => ({ report, name: report.trace.path })).filter(({ report }) => report.advice && report.advice.sharing.length);
  if (!some.length) return;
  const node = section("sharing", "Sharing", "Lines that one thread writes and others use at the same time: how often a thread loses one, for the same words (true sharing), and for words that only lie beside what is written (false sharing, which padding removes).");
  eachRun(node, some, (part, report) => {
    const rows = report.advice.sharing;
    part.append(stackedBars({ label: "Coherence misses", text: exact, parts: [{ name: "the same words", colour: COLOURS[0] }, { name: "others on the line", colour: COLOURS[5] }],
      rows: rows.map((one) => ({ name: one.name, values: [one.true, one.false], say: count(one.true + one.false) })) }),
      openTable("fields on shared lines", ["whose", "is missed", "while others write", "misses"], rows.flatMap((one) =>
        one.fields.map((pair) => [one.name, pair.missed, pair.written, exact(pair.misses)]))));
  });
}

function drawMemory(runs) {
  const node = section("memory", "Memory", "What is alive, and on how many pages; who has the most, who makes what hardly lives, and what is never freed.");
  eachRun(node, runs, (part, report) => {
    const run = report.run, steps = run.timeline.starts;
    const line = (name, colour, values, dash) => ({ name, colour, dash, points: steps.map((x, i) => [x, values[i]]) });
    if (steps.length > 1) part.append(lineChart({ label: "Alive over time, and the pages that it is on: the gap is fragmentation", yText: bytes, xText: count,
      lines: [line("alive", "var(--used)", run.timeline.live), line("its pages", COLOURS[5], run.timeline.live_pages, "6 3")] }));
    part.append(openTable("memory by context", ["context", "at most", "at exit", "objects", "of these short-lived", "never freed"], [...run.contexts].sort((a, b) => b.most_live - a.most_live).slice(0, 20).map((row) =>
      [row.name, bytes(row.most_live), bytes(row.at_exit), exact(row.objects), percent(row.objects ? row.short_lived / row.objects : null), exact(row.immortal)])));
    part.append(table("over time", ["from", "alive", "pages", "fragmentation"], steps.map((x, i) => [exact(x), bytes(run.timeline.live[i]), bytes(run.timeline.live_pages[i]), percent(run.timeline.live_pages[i] ? 1 - run.timeline.live[i] / run.timeline.live_pages[i] : null)])));
  });
}
