// Lines and bars, by Chart.js: what is at the cursor is said beside it, and to a screen reader; arrow keys move the cursor.
// It draws no flame graphs, no maps of a million tiles, and no matrices: those are drawn where they belong.
const colours = new Map(); // charts ask for each point
function named(colour) {
  if (!colour.startsWith("var(")) return colour;
  if (!colours.has(colour)) colours.set(colour, getComputedStyle(document.documentElement).getPropertyValue(colour.slice(4, -1)).trim());
  return colours.get(colour);
}
const charts = new Set();
function recolour() {
  colours.clear();
  Chart.defaults.color = named("var(--ink)");
  Chart.defaults.borderColor = named("var(--edge)");
  for (const one of charts) {
    if (one.canvas.isConnected) one.update();
    else { charts.delete(one); one.destroy(); }
  }
}
Object.assign(Chart.defaults, { animation: false, maintainAspectRatio: false });
Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
recolour();
addEventListener("themechange", recolour);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => dispatchEvent(new Event("themechange")));

function sayActive({ chart, tooltip }) {
  if (!tooltip.opacity) { hush(); return; }
  const box = chart.canvas.getBoundingClientRect();
  say([...tooltip.title, ...tooltip.body.flatMap((one) => one.lines)].join("\n"), box.left + tooltip.caretX, box.top + tooltip.caretY);
}

// Uprights across the chart, named or not: at the marks, and at the cursor of lines.
const uprights = (marks) => ({ id: "uprights", afterDatasetsDraw(chart) {
  const { ctx: pen, chartArea: { top, bottom } } = chart;
  const draw = (x, colour, dash) => { pen.beginPath(); pen.strokeStyle = named(colour); pen.setLineDash(dash); pen.moveTo(x, top); pen.lineTo(x, bottom); pen.stroke(); };
  pen.save();
  pen.fillStyle = Chart.defaults.color; pen.textAlign = "center"; pen.font = `12px ${Chart.defaults.font.family}`;
  for (const { at, name } of marks) {
    const x = chart.scales.x.getPixelForValue(at);
    draw(x, "var(--mark)", [2, 4]);
    if (name) pen.fillText(name, x, top - 6);
  }
  const [active] = chart.tooltip.getActiveElements();
  if (active && chart.config.type === "line") draw(active.element.x, "var(--ink)", []);
  pen.restore();
} });

function chartFigure({ label, type, tall, data, axis = "x", scales, callbacks, marks = [], parts = [] }) {
  const canvas = h("canvas", { role: "img", tabindex: 0, "aria-label": `${label}. Arrow keys move the cursor.` });
  const interaction = { mode: "index", axis, intersect: false };
  const tooltip = { enabled: false, external: sayActive, callbacks, filter: (item) => Boolean(item.dataset.label) && item.raw?.y !== null };
  const chart = new Chart(canvas, { type, data, plugins: [uprights(marks)],
    options: { indexAxis: axis, interaction, scales, layout: { padding: { top: 18, right: 12 } }, plugins: { legend: { display: false }, tooltip } } });
  charts.add(chart);
  let at = -1;
  const show = (index) => {
    const active = data.datasets.flatMap((one, datasetIndex) => (one.data[index] === undefined ? [] : [{ datasetIndex, index }]));
    chart.tooltip.setActiveElements(active, active.length ? chart.getDatasetMeta(active[0].datasetIndex).data[index] : { x: 0, y: 0 });
    chart.render();
  };
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    at = Math.max(0, Math.min(Math.max(...data.datasets.map((one) => one.data.length)) - 1, at + step));
    show(at);
  });
  canvas.addEventListener("blur", () => show(-1));
  return h("figure", {}, h("figcaption", {}, label), h("div", { class: "chart", style: `height:${tall}px` }, canvas), parts.length > 1 ? legend(parts) : null);
}

// Ticks for what is counted in bytes stand at powers of two.
const steps = (text, most) => (text === bytes ? { stepSize: 2 ** Math.ceil(Math.log2(most / 6 || 1)) } : {});

// lines: [{name, colour, dash, dots, points: [[x, y]...], band: [[x, low, high]...]}]; marks: [{x, name}].
function lineChart({ label, lines, marks = [], log = false, yMax, xText, yText }) {
  const by = (x) => (log ? Math.log2(Math.max(x, 1)) : x), back = (x) => (log ? 2 ** x : x);
  const xs = [...new Set(lines.flatMap((line) => line.points.map(([x]) => x)))].sort((a, b) => a - b);
  if (!xs.length) return h("p", { class: "soft" }, "nothing to draw");
  const plain = { pointRadius: 0, pointHoverRadius: 0, borderWidth: 2 };
  const datasets = lines.flatMap((line) => {
    const at = new Map(line.points), colour = () => named(line.colour);
    const drawn = { ...plain, label: line.name, borderColor: colour, backgroundColor: colour, borderDash: line.dash ? line.dash.split(" ").map(Number) : [],
      pointRadius: line.dots ? 3 : 0, spanGaps: line.points.length < xs.length, data: xs.map((x) => ({ x: by(x), y: at.get(x) ?? null })) };
    const edges = (line.band || []).length ? [1, 2].map((end) => ({ ...plain, borderWidth: 0, data: line.band.map((one) => ({ x: by(one[0]), y: one[end] })) })) : [];
    if (edges.length) Object.assign(edges[1], { fill: "-1", backgroundColor: () => `${named(line.colour)}30` });
    return [drawn, ...edges];
  });
  const ends = [...xs, ...marks.map((mark) => mark.x)].map(by);
  const ticks = { maxRotation: 0, autoSkipPadding: 12, callback: (x) => xText(back(x)), ...(log ? { stepSize: 1 } : steps(xText, Math.max(...ends))) };
  const highest = Math.max(...datasets.flatMap((one) => one.data.map((point) => point.y ?? 0)));
  return chartFigure({ label, type: "line", tall: 290, data: { datasets }, marks: marks.map((mark) => ({ at: by(mark.x), name: mark.name })), parts: lines.map((line) => [line.colour, line.name]),
    scales: { x: { type: "linear", min: Math.min(...ends), max: Math.max(...ends), grid: { display: false }, ticks }, y: { min: 0, max: yMax, ticks: { maxTicksLimit: 7, callback: yText, ...steps(yText, highest) } } },
    callbacks: { title: ([one]) => (one ? xText(back(one.raw.x)) : ""), label: (one) => `${one.dataset.label}: ${yText(one.raw.y)}` } });
}

// A bar a row, from left to right, with its name and what it says before it.
function rowsFigure({ label, rows, datasets, words, parts, most }) {
  const callback = function (_, i) { return [shortened(rows[i].name, Math.max(14, Math.floor(this.chart.width / 16))), rows[i].say]; };
  return chartFigure({ label, type: "bar", axis: "y", tall: 26 + 38 * rows.length, parts, data: { labels: rows.map((row) => row.name), datasets },
    scales: { x: { stacked: parts.length > 1, display: false, min: 0, max: most }, y: { stacked: parts.length > 1, grid: { display: false }, ticks: { autoSkip: false, callback } } },
    callbacks: { title: ([one]) => rows[one.dataIndex].name, label: (one) => words(rows[one.dataIndex], one.datasetIndex) } });
}

// parts: [{name, colour}], rows: [{name, values}]: one stacked bar a row.
function stackedBars({ label, parts, rows, text, shares = false }) {
  const whole = (row) => sum(row.values) || 1e-12;
  const datasets = parts.map((part, i) => ({ label: part.name, backgroundColor: () => named(part.colour), barThickness: 17, data: rows.map((row) => row.values[i] / (shares ? whole(row) : 1)) }));
  return rowsFigure({ label, datasets, rows: rows.map((row) => ({ ...row, say: row.say ?? text(sum(row.values)) })), parts: parts.map((part) => [part.colour, part.name]), most: shares ? 1 : undefined,
    words: (row, i) => `${parts[i].name}: ${text(row.values[i])} (${percent(row.values[i] / whole(row))})` });
}

// rows: [{name, value, low, high, best}]: bars, with their intervals over the ends.
function ratioChart({ label, rows, text }) {
  const datasets = [{ label: "interval", grouped: false, barThickness: 2, backgroundColor: () => named("var(--ink)"), data: rows.map((row) => row.low === null ? null : [row.low, row.high]) },
    { label: "median", grouped: false, barThickness: 17, backgroundColor: ({ dataIndex }) => named(rows[dataIndex]?.best ? "var(--good)" : "var(--used)"), data: rows.map((row) => row.value) }];
  return rowsFigure({ label, datasets, parts: [], rows: rows.map((row) => ({ ...row, say: row.say || text(row.value) })),
    words: (row, i) => (i ? text(row.value) : `${text(row.low)} to ${text(row.high)}`) });
}

// values by bin as upright bars; names: what each bin stands for; lines: bins before which one stands.
function histogram({ label, names, series, text, lines = [] }) {
  const datasets = series.map((one) => ({ label: one.name, backgroundColor: () => named(one.colour), categoryPercentage: 1, barPercentage: 0.95, maxBarThickness: 70, data: names.map((_, i) => one.values[i] || 0) }));
  return chartFigure({ label, type: "bar", tall: 200, data: { labels: names, datasets }, marks: lines.map((at) => ({ at: at - 0.5 })), parts: series.map((one) => [one.colour, one.name]),
    scales: { x: { stacked: true, grid: { display: false }, ticks: { maxRotation: 0, autoSkipPadding: 10 } }, y: { stacked: true, display: false } },
    callbacks: { label: (one) => `${one.dataset.label}: ${text(one.raw)}` } });
}
