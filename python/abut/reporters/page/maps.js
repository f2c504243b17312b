// Heap maps: time from left to right, addresses from top to bottom, gaps left out. Two beside each other share a cursor.
const bytesOf = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));

function mapModel(name, run) {
  const map = run.map;
  return { name, run, columns: map.columns, rows: map.address.length, address: map.address, bytes: map.bytes, touched: map.touched, hottest: map.hottest, granule: map.granule,
    heat: bytesOf(map.heat), age: bytesOf(map.age), side: bytesOf(map.side), owner: bytesOf(map.owner) };
}

function tileColour(model, tile, mode, places) {
  if (!model.heat[tile]) return null;
  if (mode === "heat") return ramp(model.heat[tile] / 255);
  if (mode === "age") return ramp(model.age[tile] / 4 / 32);
  if (mode === "side") {
    const share = model.side[tile] / 255, a = [0, 114, 178], b = [230, 159, 0];
    return a.map((one, i) => Math.round(one + (b[i] - one) * share));
  }
  const owner = model.owner[tile];
  const place = owner ? places.get(model.run.contexts[owner - 1].name) ?? -1 : -1;
  const hex = colourOf(place);
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}

function paint(view, mode, places) {
  const { model, canvas } = view;
  canvas.width = model.columns; canvas.height = Math.max(1, model.rows);
  const context = canvas.getContext("2d");
  const image = context.createImageData(canvas.width, canvas.height);
  for (let tile = 0; tile < model.rows * model.columns; ++tile) {
    const colour = tileColour(model, tile, mode, places);
    if (colour) image.data.set([...colour, mode === "heat" ? 255 : 110 + Math.round(145 * (model.heat[tile] / 255))], 4 * tile);
  }
  context.putImageData(image, 0, 0);
}

// The rows behind which addresses jump.
const gapsOf = (model) => model.address.map((one, i) => (i + 1 < model.rows && model.address[i + 1] - one - model.bytes[i] > 4194304 ? i : -1)).filter((one) => one >= 0);

function tileWords(model, column, row) {
  const tile = row * model.columns + column;
  const owner = model.owner[tile];
  const lines = [`0x${model.address[row].toString(16)}, ${bytes(model.bytes[row])}`, `from access ${count(model.run.timeline.starts[column] || 0)} on`];
  if (!model.heat[tile]) return [...lines, "not touched"].join("\n");
  const accesses = 2 ** ((model.heat[tile] / 255) * Math.log2(1 + model.hottest)) - 1;
  lines.push(`about ${count(accesses)} accesses, ${percent(model.side[tile] / 255)} by the allocator`, `objects' age about 2^${(model.age[tile] / 4).toFixed(0)} accesses`);
  lines.push(owner ? model.run.contexts[owner - 1].name : "of a context that is not shown, or of none");
  return lines.join("\n");
}

function drawOver(view, cursor, same) {
  const { model, over } = view;
  const box = view.canvas.getBoundingClientRect();
  over.width = Math.max(1, box.width); over.height = Math.max(1, box.height);
  const pen = over.getContext("2d");
  const w = over.width / model.columns, tall = over.height / Math.max(1, model.rows);
  const style = getComputedStyle(document.documentElement);
  pen.strokeStyle = style.getPropertyValue("--soft"); pen.setLineDash([2, 3]);
  for (const row of gapsOf(model)) { pen.beginPath(); pen.moveTo(0, (row + 1) * tall); pen.lineTo(over.width, (row + 1) * tall); pen.stroke(); }
  if (!cursor) return;
  if (same) {
    pen.fillStyle = style.getPropertyValue("--mark"); pen.globalAlpha = 0.55;
    for (let row = 0; row < model.rows; ++row) {
      const owner = model.owner[row * model.columns + cursor.column];
      if (owner && model.run.contexts[owner - 1].name === same) pen.fillRect(cursor.column * w - 3, row * tall, w + 6, Math.max(1, tall));
    }
    pen.globalAlpha = 1;
  }
  pen.setLineDash([]); pen.strokeStyle = style.getPropertyValue("--ink");
  pen.strokeRect(cursor.column * w + w / 2, 0, 0.01, over.height);
  if (cursor.view === view) pen.strokeRect(0, cursor.row * tall + tall / 2, over.width, 0.01);
}

function drawMaps(report, others) {
  const models = [mapModel(others.length ? "as recorded" : "the heap as recorded", report.run), ...others.map((one) => mapModel(one.name, one.run))].filter((one) => one.rows);
  if (!models.length) return;
  const node = section("maps", "Heap maps", "Time runs from left to right, addresses from top to bottom; what was never touched is left out, and a dotted line marks each such gap of more than 4 MiB. Compact bands are good; colours strewn over many rows are pages and lines shared by what is not used together.");
  // Colours are for those that take up most of the picture: few can be distinguished, and many accesses may go to one tile.
  const room = new Map();
  for (const model of models)
    for (const owner of model.owner) if (owner) { const name = model.run.contexts[owner - 1].name; room.set(name, (room.get(name) || 0) + 1); }
  const ranked = [...room.keys()].sort((a, b) => room.get(b) - room.get(a)).slice(0, COLOURS.length);
  const places = new Map(ranked.map((name, i) => [name, i]));
  const pair = h("div", { class: "pair" }), key = h("div", {});
  let mode = "context";
  const views = models.map((model) => {
    const canvas = h("canvas", { tabindex: 0, role: "img", style: "height:340px", "aria-label": `${model.name}: ${model.rows} rows of addresses, ${model.columns} columns of time. Arrow keys move the cursor.` });
    const over = h("canvas", { class: "over", "aria-hidden": "true" });
    const view = { model, canvas, over, row: 0, column: 0 };
    pair.append(h("figure", {}, h("figcaption", {}, `${model.name}: ${bytes(sum(model.touched))} touched, in steps of ${bytes(model.granule)}`), h("div", { class: "stage" }, canvas, over)));
    return view;
  });
  const move = (view, column, row, x, y) => {
    view.column = Math.max(0, Math.min(view.model.columns - 1, column));
    view.row = Math.max(0, Math.min(view.model.rows - 1, row));
    const owner = view.model.owner[view.row * view.model.columns + view.column];
    const same = owner ? view.model.run.contexts[owner - 1].name : null;
    for (const one of views) drawOver(one, { view, row: view.row, column: Math.min(view.column, one.model.columns - 1) }, same);
    say(tileWords(view.model, view.column, view.row), x, y);
  };
  const leave = () => { hush(); for (const one of views) drawOver(one, null); };
  for (const view of views) {
    const { canvas, model } = view;
    canvas.addEventListener("mousemove", (event) => {
      const box = canvas.getBoundingClientRect();
      move(view, Math.floor(((event.clientX - box.left) / box.width) * model.columns), Math.floor(((event.clientY - box.top) / box.height) * model.rows), event.clientX, event.clientY);
    });
    canvas.addEventListener("mouseleave", leave); canvas.addEventListener("blur", leave);
    canvas.addEventListener("keydown", (event) => {
      const [dx, dy] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key] || [0, 0];
      if (!dx && !dy) return;
      event.preventDefault();
      const box = canvas.getBoundingClientRect(), far = event.shiftKey ? 10 : 1;
      move(view, view.column + dx * far, view.row + dy * far, box.left + (view.column / model.columns) * box.width, box.top + (view.row / Math.max(1, model.rows)) * box.height);
    });
  }
  const repaint = () => {
    for (const view of views) { paint(view, mode, places); drawOver(view, null); }
    const scale = (low, high) => legend([0, 0.25, 0.5, 0.75, 1].map((share, i) => [rgb(ramp(share)), i === 0 ? low : i === 4 ? high : ""]));
    key.replaceChildren(mode === "context" ? legend([...ranked.map((name, i) => [COLOURS[i], shortened(name, 60)]), [OTHERS, "others"]])
      : mode === "side" ? legend([["#0072b2", "the application"], ["#e69f00", "the allocator"]])
      : mode === "heat" ? scale("one access", `${count(models[0].hottest)} (logarithmic)`) : scale("just born", "2^32 accesses old"));
  };
  node.append(choice("colour by", [["context", "context"], ["heat", "heat"], ["age", "age"], ["side", "side"]], mode, (value) => { mode = value; repaint(); }), pair, key);
  repaint();
  addEventListener("resize", () => views.forEach((view) => drawOver(view, null)));
  addEventListener("themechange", repaint);
  const rowsOf = (model) => model.address.map((one, row) => {
    const tiles = [...Array(model.columns).keys()].map((column) => row * model.columns + column);
    const names = new Map();
    for (const tile of tiles) if (model.owner[tile]) names.set(model.owner[tile], (names.get(model.owner[tile]) || 0) + model.heat[tile]);
    const top = [...names].sort((a, b) => b[1] - a[1])[0];
    return [`0x${one.toString(16)}`, bytes(model.bytes[row]), exact(tiles.filter((tile) => model.heat[tile]).length), top ? model.run.contexts[top[0] - 1].name : "–"];
  });
  for (const model of models) node.append(table(`${model.name}, by address`, ["address", "bytes", "columns touched", "mostly of"], rowsOf(model)));
}
