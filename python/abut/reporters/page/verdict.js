// The first screen: what is wrong with this heap, and what to type.
function drawVerdict() {
  const node = h("section", { id: "verdict", "aria-label": "verdict" });
  main.append(node);
  document.getElementById("nav").append(h("a", { href: "#verdict" }, "Verdict"));
  node.append(h("h1", {}, doc.title), h("p", { class: "soft" }, doc.subtitle));
  for (const warning of doc.warnings) node.append(h("p", { class: "warn" }, warning));
  node.append(h("div", { class: "cards" }, doc.cards.map((card) =>
    h("div", { class: "card" }, h("span", { class: "what" }, card.what), h("b", {}, card.value), h("p", {}, card.about)))));
  if (doc.advice.actions.length) node.append(h("h3", {}, "What to change"), h("ol", { class: "actions" }, doc.advice.actions.map((one) => h("li", {}, actionBox(one.title, one.gain, one.why, one.code)))));
  node.append(h("div", { class: "next" }, h("b", {}, "What to type"), copyButton(doc.next), h("pre", {}, doc.next)));
  node.append(h("ul", { class: "say" }, doc.sentences.map((one) => h("li", {}, one))));
}

// Bars of what each context's lines brought, and how much of it was used, and how both went over time. The names
// are buttons, which no chart has: so these bars are elements beside them.
function drawUse(runs) {
  const some = runs.filter(({ report }) => report.run.accesses);
  if (!some.length) return;
  const node = section("use", "Use of lines", `A line is ${some[0].report.run.use.line_bytes} bytes. The filled part of a bar is what the program used of the lines that a context's objects brought into the first cache; the hatched part was brought in vain.`);
  eachRun(node, some, (part, report) => fillUse(part, report, runs.findIndex((one) => one.report === report)));
}

function fillUse(node, report, place) {
  const run = report.run, lines = `lines of ${run.use.line_bytes} B`;
  const rows = run.contexts.filter((one) => one.brought).sort((a, b) => b.brought - b.used - (a.brought - a.used)).slice(0, 14);
  const bars = h("div", { class: "bars" });
  const draw = (pages) => {
    const [brought, used] = pages ? ["page_brought", "page_used"] : ["brought", "used"];
    const some = rows.filter((row) => row[brought]);
    const most = Math.max(...some.map((row) => row[brought]), 1);
    bars.replaceChildren(...some.flatMap((row) => {
      const share = row[used] / row[brought];
      const text = `${row.frames.join("\n")}\n\nbrought ${bytes(row[brought])}, used ${bytes(row[used])} (${percent(share)})`;
      const track = telling(h("span", { class: "track", style: `width:${(66 * row[brought]) / most}%` },
        h("span", { class: "used", style: `width:${100 * share}%` }), h("span", { class: "spare", style: "flex:1" })), text);
      const name = telling(h("button", { type: "button", class: "name", onclick: () => openContext(row.id, place) }, row.name), text);
      return [name, h("span", { class: "bar" }, track, h("span", { class: "say" }, `${percent(share)} of ${bytes(row[brought])}`))];
    }));
  };
  node.append(h("h3", {}, "By the context that allocated"), choice("of", [[0, lines], [1, "pages of 4 KiB"]], 0, (value) => draw(Number(value))), bars);
  draw(0);
  node.append(table("contexts", ["context", "objects", "accesses", "L1 misses", "brought", "used", "share", "of pages"], run.contexts.map((row) =>
    [row.frames.slice(0, 6).join(" < ") || row.name, exact(row.objects), exact(row.accesses), exact(row.misses[0]), bytes(row.brought), bytes(row.used), percent(row.brought ? row.used / row.brought : null), percent(row.page_brought ? row.page_used / row.page_brought : null)])));
  if (run.hidden.contexts) node.append(h("p", { class: "soft" }, `Not shown: ${exact(run.hidden.contexts)} contexts with ${bytes(run.hidden.wasted)} of waste in all.`));
  const steps = run.timeline.starts;
  if (steps.length > 1) {
    const line = (name, colour, values, dash) => ({ name, colour, dash, points: steps.map((x, i) => [x, values[i]]) });
    const pair = h("div", { class: "pair" });
    pair.append(lineChart({ label: "Share used over time, of lines and of pages", yMax: 1, yText: percent, xText: (x) => `${count(x)}`, lines: [
      line(lines, "var(--used)", run.timeline.used), line("pages of 4 KiB", COLOURS[5], run.timeline.page_used, "6 3")] }));
    const each = run.accesses / steps.length;
    pair.append(lineChart({ label: "Misses per 1000 accesses over time", yText: (y) => y.toFixed(y !== 0 && y < 1 ? 2 : 0), xText: (x) => count(x), lines: run.levels.map((level, i) =>
      line(level.name, ["var(--used)", COLOURS[0], COLOURS[5]][i % 3], run.timeline.misses[i].map((one) => (1000 * one) / each), ["", "6 3", "2 3"][i % 3])) }));
    node.append(pair, h("p", { class: "soft" }, "Time runs in accesses of the whole run."));
    node.append(table("over time", ["accesses before", "alive", "lines used", "pages used", ...run.levels.map((one) => `${one.name} misses`)], steps.map((x, i) =>
      [exact(x), bytes(run.timeline.live[i]), percent(run.timeline.used[i]), percent(run.timeline.page_used[i]), ...run.timeline.misses.map((row) => exact(row[i]))])));
  }
}
