// Lines and bars over an axis, as SVG, with a cursor that the mouse and the arrow keys move.
function axisTicks(low, high, wanted) {
  const rough = (high - low) / wanted || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough);
  const ticks = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high * 1.0001; tick += step) ticks.push(tick);
  return ticks;
}

// lines: [{name, colour, dash, points: [[x, y]...], band: [[x, low, high]...]}]; marks: [{x, name}].
function lineChart({ label, lines, marks = [], log = false, yMax, xText, yText, xTicks, height = 260 }) {
  const width = 620, left = 58, right = 16, top = 22, bottom = 34;
  const all = lines.flatMap((line) => line.points.map(([x]) => x)).concat(marks.map((mark) => mark.x));
  if (!all.length) return h("p", { class: "soft" }, "nothing to draw");
  const by = (x) => (log ? Math.log2(Math.max(x, 1)) : x);
  const [low, high] = [Math.min(...all), Math.max(...all)].map(by);
  const most = yMax ?? (Math.max(...lines.flatMap((line) => line.points.map(([, y]) => y ?? 0))) || 1);
  const px = (x) => left + ((by(x) - low) / (high - low || 1)) * (width - left - right);
  const py = (y) => top + (1 - Math.min(y, most) / most) * (height - top - bottom);
  const chart = s("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", tabindex: 0, "aria-label": `${label}. Arrow keys move the cursor.` });
  for (const y of axisTicks(0, most, 4)) {
    chart.append(s("line", { class: "grid", x1: left, x2: width - right, y1: py(y), y2: py(y) }),
      s("text", { class: "soft", x: left - 6, y: py(y) + 4, "text-anchor": "end" }, yText(y)));
  }
  const ticks = xTicks || (log ? powersBetween(low, high) : axisTicks(low, high, 6));
  for (const x of ticks) chart.append(s("text", { class: "soft", x: px(x), y: height - bottom + 16, "text-anchor": "middle" }, xText(x)));
  chart.append(s("line", { class: "axis", x1: left, x2: width - right, y1: py(0), y2: py(0) }));
  for (const mark of marks) {
    chart.append(s("line", { x1: px(mark.x), x2: px(mark.x), y1: top - 4, y2: py(0), stroke: "var(--mark)", "stroke-dasharray": "2 4" }),
      s("text", { x: px(mark.x), y: top - 8, "text-anchor": "middle" }, mark.name));
  }
  for (const line of lines) {
    if (line.band && line.band.length) {
      const path = line.band.map(([x, , up]) => `${px(x)},${py(up)}`).concat([...line.band].reverse().map(([x, down]) => `${px(x)},${py(down)}`));
      chart.append(s("polygon", { points: path.join(" "), fill: line.colour, opacity: 0.18 }));
    }
    let path = "", pen = false;
    for (const [x, y] of line.points) {
      if (y === null) { pen = false; continue; }
      path += `${pen ? "L" : "M"}${px(x).toFixed(1)},${py(y).toFixed(1)}`;
      pen = true;
    }
    chart.append(s("path", { d: path, fill: "none", stroke: line.colour, "stroke-width": 2, "stroke-dasharray": line.dash }));
    if (line.dots) for (const [x, y] of line.points) chart.append(s("circle", { cx: px(x), cy: py(y), r: 3.2, fill: line.colour }));
  }
  const cursor = s("line", { y1: top, y2: py(0), stroke: "var(--ink)", visibility: "hidden" });
  chart.append(cursor);
  const xs = [...new Set(lines.flatMap((line) => line.points.map(([x]) => x)))].sort((a, b) => a - b);
  let at = 0;
  const show = (place, event) => {
    at = Math.max(0, Math.min(xs.length - 1, place));
    const x = xs[at], box = chart.getBoundingClientRect();
    cursor.setAttribute("x1", px(x)); cursor.setAttribute("x2", px(x)); cursor.setAttribute("visibility", "visible");
    const words = lines.map((line) => {
      const near = line.points.find((point) => point[0] === x);
      return near && near[1] !== null ? `${line.name}: ${yText(near[1])}` : null;
    }).filter(Boolean);
    say(`${xText(x)}\n${words.join("\n")}`, event ? event.clientX : box.left + (px(x) / width) * box.width, event ? event.clientY : box.top + 40);
  };
  chart.addEventListener("mousemove", (event) => {
    const box = chart.getBoundingClientRect(), x = ((event.clientX - box.left) / box.width) * width;
    let best = 0;
    xs.forEach((one, i) => { if (Math.abs(px(one) - x) < Math.abs(px(xs[best]) - x)) best = i; });
    show(best, event);
  });
  const leave = () => { cursor.setAttribute("visibility", "hidden"); hush(); };
  chart.addEventListener("mouseleave", leave); chart.addEventListener("blur", leave);
  chart.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    show(at + step);
  });
  return h("figure", {}, h("figcaption", {}, label), chart, legend(lines.map((line) => [line.colour, line.name])));
}
function powersBetween(low, high) {
  const ticks = [], step = high - low > 14 ? 4 : high - low > 7 ? 2 : 1;
  for (let power = Math.ceil(low); power <= high + 0.01; power += step) ticks.push(2 ** power);
  return ticks;
}

// parts: [{name, colour}], rows: [{name, values}]: one stacked bar a row.
function stackedBars({ label, parts, rows, text, shares = false }) {
  const most = Math.max(...rows.map((row) => sum(row.values)), 1e-12);
  const body = rows.map((row) => {
    const whole = sum(row.values);
    const track = h("span", { class: "track", style: `width:${Math.max(0.4, (shares ? (whole ? 1 : 0) : whole / most) * 70)}%` },
      row.values.map((value, i) => telling(h("span", { style: `width:${whole ? (100 * value) / whole : 0}%;background:${parts[i].colour}` }), `${row.name}\n${parts[i].name}: ${text(value)} (${percent(whole ? value / whole : 0)})`)));
    return [h("span", { class: "name", title: row.name }, row.name), h("span", { class: "bar" }, track, h("span", { class: "say" }, row.say ?? text(whole)))];
  });
  return h("figure", {}, h("figcaption", {}, label), h("div", { class: "bars" }, body), legend(parts.map((part) => [part.colour, part.name])));
}

// values by bin as upright bars; names: what each bin stands for.
function histogram({ label, names, series, text, lines = [] }) {
  const width = 620, height = 190, left = 8, bottom = 30, top = 10;
  const bins = names.length;
  const totals = names.map((_, i) => sum(series.map((one) => one.values[i] || 0)));
  const most = Math.max(...totals, 1), step = (width - left) / Math.max(bins, 8);
  const chart = s("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", tabindex: 0, "aria-label": label });
  const every = Math.ceil(bins / Math.floor(width / 74));
  names.forEach((name, i) => {
    let y = height - bottom;
    series.forEach((one) => {
      const tall = ((one.values[i] || 0) / most) * (height - top - bottom);
      y -= tall;
      if (tall > 0) chart.append(s("rect", { x: left + i * step, width: Math.max(1, step - 1), y, height: Math.max(tall, 0.7), fill: one.colour }));
    });
    const hit = s("rect", { x: left + i * step, width: step, y: top, height: height - top - bottom, fill: "transparent" });
    chart.append(telling(hit, `${name}\n${series.map((one) => `${one.name}: ${text(one.values[i] || 0)}`).join("\n")}`));
    if (i % every === 0) chart.append(s("text", { class: "soft", x: left + i * step, y: height - 12 }, name));
  });
  for (const line of lines) chart.append(s("line", { x1: left + line * step, x2: left + line * step, y1: top, y2: height - bottom, stroke: "var(--mark)", "stroke-dasharray": "3 3" }));
  chart.append(s("line", { class: "axis", x1: left, x2: width, y1: height - bottom, y2: height - bottom }));
  return h("figure", {}, h("figcaption", {}, label), chart, series.length > 1 ? legend(series.map((one) => [one.colour, one.name])) : null);
}
