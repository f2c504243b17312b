// What was measured: heaps side by side, and policies of tuning; and why one may believe it all.
const FIGURES = { wall: ["wall time", (x) => `${x.toPrecision(3)} s`], cpu: ["user+sys time", (x) => `${x.toPrecision(3)} s`], rss: ["peak RSS", bytes], faults: ["page faults", count] };

function drawComparison(comparison, number) {
  const node = section(`compare${number || ""}`, "Heaps compared", `Medians of ${comparison.settings.runs} runs each, in turn; ${comparison.settings.runs < 5 ? "too few for intervals" : "the lines across the ends of bars are 95 % intervals"}. ${comparison.file}`);
  for (const program of comparison.benchmarks.slice(0, 40)) {
    node.append(h("h3", {}, `${program.name}`));
    const pair = h("div", { class: "pair" }), rows = [];
    for (const [figure, cells] of Object.entries(program.figures)) {
      const [label, text] = FIGURES[figure] || [figure, count];
      const values = Object.entries(cells).map(([heap, cell]) => ({ name: heap, ...cell.median, ratio: cell.to_reference?.value, best: false }));
      const best = Math.min(...values.map((one) => one.value));
      values.forEach((one) => { one.best = one.value === best; one.say = `${text(one.value)}${one.ratio ? `  ×${one.ratio.toFixed(2)}` : ""}`; rows.push([one.name, label, text(one.value), ...[one.low, one.high].map((end) => end === null ? "–" : text(end)), one.ratio ? one.ratio.toFixed(3) : "–"]); });
      pair.append(ratioChart({ label: `${label}; × is the multiple of ${comparison.reference}'s`, rows: values, text }));
    }
    node.append(pair, table(program.name, ["heap", "figure", "median", "from", "to", `of ${comparison.reference}'s`], rows));
  }
  const hidden = comparison.benchmarks.length - 40;
  if (hidden > 0) node.append(h("p", { class: "soft" }, `Not drawn: ${hidden} more programs. Their figures are in the data of this page.`));
}

function drawTuning(tuning, number) {
  const node = section(`tune${number || ""}`, "Policies raced", tuning.plan ? `${tuning.strategy} won and was written to ${tuning.plan}. ${tuning.file}` : `The default was kept: ${tuning.why || "none won"}. ${tuning.file}`);
  const multiple = (x) => x.toFixed(3), figure = tuning.objective || "time";
  const rows = tuning.candidates.filter((one) => one.to_plain).map((one) => ({ name: one.strategy, value: one.to_plain[0], low: one.to_plain[1], high: one.to_plain[2], best: one.strategy === tuning.strategy }));
  if (rows.length) node.append(ratioChart({ label: `${figure}, as a multiple of the default's; lines across the ends are 95 % intervals`, rows, text: multiple }));
  const settings = (one) => Object.entries(one.settings || {}).map(([name, value]) => `${name}=${value}`).join(" ");
  node.append(table("policies", ["policy", "settings", "rounds", "of the default's", "left the race"], tuning.candidates.map((one) =>
    [one.strategy, settings(one), exact(one.rounds), one.to_plain ? `${multiple(one.to_plain[0])} (${multiple(one.to_plain[1])} to ${multiple(one.to_plain[2])})` : "–", one.left || "–"])));
}

function drawTrust() {
  const node = section("trust", "Why to trust this", "What was run, where, and what this page does not know.");
  node.append(h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "facts" }, h("table", {}, h("tbody", {}, doc.trust.map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "text" }, value)))))));
  node.append(h("h3", {}, "Limits of the models"), h("ul", { class: "say" }, doc.limits.map((one) => h("li", {}, one))));
  node.append(h("h3", {}, "To make it again"), h("div", { class: "next" }, h("pre", {}, doc.again.join("\n"))));
}
