"use strict";
// What all views share: elements, numbers as people read them, colours, tables, the word beside the cursor.
const doc = JSON.parse(document.getElementById("data").textContent);
const main = document.getElementById("main");
const tip = document.getElementById("tip");
const SVG = "http://www.w3.org/2000/svg";

function build(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(3)) if (child !== null && child !== undefined) node.append(child);
  return node;
}
const h = (tag, attributes, ...children) => build(document.createElement(tag), attributes, children);
const s = (tag, attributes, ...children) => build(document.createElementNS(SVG, tag), attributes, children);

function scaled(value, scales) {
  if (value === null || value === undefined) return "–";
  const [scale, unit] = scales.find(([one]) => Math.abs(value) >= one) || scales[scales.length - 1];
  const part = value / scale;
  const digits = part === Math.round(part) && Math.abs(part) < 1000 ? 0 : Math.abs(part) >= 100 ? 0 : Math.abs(part) >= 10 ? 1 : 2;
  return `${part.toFixed(digits)}${unit ? " " + unit : ""}`;
}
const bytes = (value) => scaled(value, [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]]);
const count = (value) => scaled(value, [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]]);
const percent = (share) => (share === null || share === undefined || Number.isNaN(share) ? "–" : `${(100 * share).toFixed(share !== 0 && Math.abs(share) < 0.0995 ? 1 : 0)} %`);
const exact = (value) => (value === null || value === undefined ? "–" : Math.round(value).toLocaleString("en-US"));
const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);

// Okabe and Ito's colours, which people see apart whatever their eyes; grey is for all others.
const COLOURS = ["#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7"];
const OTHERS = "#8b929c";
const colourOf = (place) => (place >= 0 && place < COLOURS.length ? COLOURS[place] : OTHERS);
// Blue to yellow, evenly lighter (after cividis).
const RAMP = [[0, 32, 77], [50, 64, 108], [90, 96, 114], [122, 124, 120], [160, 154, 114], [205, 187, 92], [255, 234, 70]];
function ramp(share) {
  const at = Math.max(0, Math.min(1, share)) * (RAMP.length - 1);
  const low = Math.min(RAMP.length - 2, Math.floor(at));
  return RAMP[low].map((one, i) => Math.round(one + (RAMP[low + 1][i] - one) * (at - low)));
}
const rgb = (parts) => `rgb(${parts.join(",")})`;

function say(text, x, y) {
  tip.textContent = text;
  tip.hidden = !text;
  if (!text) return;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 8))}px`;
  tip.style.top = `${y + 18 + box.height > innerHeight ? Math.max(4, y - box.height - 12) : y + 18}px`;
}
function hush() { say("", 0, 0); }
function telling(node, text) {
  node.addEventListener("mousemove", (event) => say(typeof text === "function" ? text(event) : text, event.clientX, event.clientY));
  node.addEventListener("mouseleave", hush);
  node.addEventListener("focus", () => {
    const box = node.getBoundingClientRect();
    if (typeof text !== "function") say(text, box.left, box.bottom - 10);
  });
  node.addEventListener("blur", hush);
  return node;
}

function openTable(summary, heads, rows) {
  const head = h("tr", {}, heads.map((one) => h("th", { scope: "col" }, one)));
  const body = rows.map((row) => h("tr", {}, row.map((cell, i) => h("td", { class: i === 0 ? "name" : null }, cell))));
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": summary }, h("table", {}, h("thead", {}, head), h("tbody", {}, body)));
}
const table = (summary, heads, rows) => h("details", {}, h("summary", {}, `table: ${summary}`), openTable(summary, heads, rows));

function section(id, title, lead) {
  const node = h("section", { id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), lead ? h("p", { class: "lead" }, lead) : null);
  main.append(node);
  document.getElementById("nav").append(h("a", { href: `#${id}` }, title));
  return node;
}

function choice(label, options, chosen, act) {
  const group = h("span", { role: "group", "aria-label": label, class: "tools" }, h("span", { class: "soft" }, label));
  const buttons = options.map(([value, text]) => h("button", { type: "button", "aria-pressed": String(value === chosen), onclick: () => {
    buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.value === String(value))));
    act(value);
  }, value: String(value) }, text));
  group.append(...buttons);
  return group;
}

// What shows one run at a time: with buttons where there are two. The answer shows another.
function eachRun(node, runs, fill) {
  const body = h("div", {});
  const show = (place) => { body.replaceChildren(); fill(body, runs[place].report, runs[place].best); };
  if (runs.length > 1) {
    const buttons = choice("run", runs.map((one, i) => [i, one.name]), 0, show);
    node.append(buttons, body);
    show(0);
    return (place) => buttons.querySelectorAll("button")[place].click();
  }
  node.append(body);
  show(0);
  return () => {};
}

const shortened = (name, most) => (name.length <= most ? name : `${name.slice(0, most - 1)}…`);
const legend = (pairs) => h("div", { class: "legend" }, pairs.map(([colour, text]) => h("span", {}, h("i", { style: `background:${colour}` }), text)));

document.getElementById("theme").addEventListener("click", () => {
  const dark = getComputedStyle(document.documentElement).getPropertyValue("--ground").trim() === "#14171b";
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  dispatchEvent(new Event("themechange"));
});
