// Curves on axes, drawn in SVG at the size of their place: by pointer, finger or arrow key one reads their values.

import { announce, freshId, h, s } from "./dom.js";
import { linear, logarithmic } from "./scales.js";
import { t } from "./words.js";

const drawn = new WeakMap();
const watcher = new ResizeObserver((entries) => entries.forEach(({ target }) => redraw(target)));

// Puts a chart into its place; when the place changes its width, the chart is drawn anew.
export function chart(host, made) {
  const before = drawn.get(host);
  drawn.set(host, { made, width: 0, hidden: before?.hidden ?? new Set(made.hidden ?? []) });
  watcher.observe(host);
  redraw(host);
}

document.addEventListener("themechange", () => document.querySelectorAll(".chart").forEach((host) => redraw(host, true)));

function redraw(host, always = false) {
  const kept = drawn.get(host);
  const width = Math.round(host.clientWidth);
  if (!kept || !width || (width === kept.width && !always)) return;
  kept.width = width;
  const shown = kept.made.series.filter((series) => !kept.hidden.has(series.key));
  const frame = framed(kept.made, shown, width);
  const figure = h("div", { class: "chart-figure" }, frame.svg, frame.tip);
  host.replaceChildren(figure, legend(host, kept), table(kept.made, shown));
  if (frame.step) reading(frame, kept.made, shown);
}

function framed(made, shown, width) {
  const height = made.square ? Math.min(width, 460) : Math.max(230, Math.min(340, width * 0.58));
  const whole = made.square ? height : width;
  const margin = { left: 54, right: 16, top: 12, bottom: 44 };
  const box = { left: margin.left, right: whole - margin.right, top: margin.top, bottom: height - margin.bottom };
  const x = scale(made.x, extent(shown, 0, made.x), [box.left, box.right]);
  const y = scale(made.y, extent(shown, 1, made.y), [box.bottom, box.top]);
  const title = freshId("chart");
  const svg = s(
    "svg",
    { viewBox: `0 0 ${whole} ${height}`, width: whole, height, role: "img", tabindex: 0, "aria-labelledby": title, direction: "ltr", class: "plot" },
    s("title", { id: title }, made.summary),
  );
  svg.append(axes(made, x, y, box), s("g", { class: "lines" }, (made.under ?? []).map((make) => make(x, y, box)), shown.map((one) => line(one, x, y, box))));
  svg.append(s("g", { class: "marks" }, (made.marks ?? []).map((make) => make(x, y, box))));
  const pointer = s("g", { class: "pointer" });
  svg.append(pointer);
  const tip = h("div", { class: "tip", hidden: true, dir: "ltr" });
  return { svg, tip, x, y, box, pointer, step: shown.length > 0 };
}

function scale(axis, domain, range) {
  return axis.log ? logarithmic(domain, range) : linear(domain, range);
}

function extent(shown, index, axis) {
  if (axis.domain) return axis.domain;
  const values = shown.flatMap((one) => one.points.map((point) => point[index])).filter((v) => Number.isFinite(v) && (!axis.log || v > 0));
  if (!values.length) return axis.log ? [1, 10] : [0, 1];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (axis.log) return low === high ? [low / 2, high * 2] : [Math.max(low, high * (axis.floor ?? 1e-12)), high];
  return [axis.from ?? low, high === (axis.from ?? low) ? high + 1 : high + (high - low) * 0.04];
}

function axes(made, x, y, box) {
  const direction = document.documentElement.dir; // words read as the page does, though the axes go from left to right
  const every = x.ticks(Math.max(3, Math.floor((box.right - box.left) / 60)));
  const across = made.x.whole ? every.filter(Number.isInteger) : every;
  const upward = y.ticks(Math.max(3, Math.floor((box.bottom - box.top) / 36)));
  return s(
    "g",
    { class: "axes" },
    upward.map((v) => s("line", { x1: box.left, x2: box.right, y1: y(v), y2: y(v), class: "grid" })),
    s("line", { x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom, class: "axis" }),
    upward.map((v) => s("text", { x: box.left - 8, y: y(v) + 4, "text-anchor": "end" }, y.label(v))),
    across.map((v) => s("line", { x1: x(v), x2: x(v), y1: box.bottom, y2: box.bottom + 4, class: "axis" })),
    across.map((v) => s("text", { x: x(v), y: box.bottom + 18, "text-anchor": "middle" }, x.label(v))),
    s("text", { x: (box.left + box.right) / 2, y: box.bottom + 38, direction, "text-anchor": "middle", class: "axis-name" }, made.x.label),
    s("text", { direction, transform: `translate(13 ${(box.top + box.bottom) / 2}) rotate(-90)`, "text-anchor": "middle", class: "axis-name" }, made.y.label),
  );
}

// Points that are no number part a line, and one alone is a dot; what leaves the box ends at its edge.
function line(one, x, y, box) {
  const clamp = (v) => Math.max(box.top - 2, Math.min(box.bottom + 2, v));
  const runs = [[]];
  for (const [a, b] of one.points) {
    const [px, py] = [x(a), y(b)];
    if (!Number.isFinite(px) || Number.isNaN(py) || b === null || b === Infinity) runs.push([]);
    else runs.at(-1).push([px.toFixed(2), clamp(py).toFixed(2)]);
  }
  const path = runs.filter((run) => run.length > 1).map((run) => `M${run.map((point) => point.join(" ")).join("L")}`).join("");
  const alone = runs.filter((run) => run.length === 1).map(([[cx, cy]]) => s("circle", { cx, cy, r: 3.5, fill: colour(one.colour) }));
  return s("g", {}, s("path", { d: path || "M0 0", class: `line ${one.style ?? ""}`, stroke: colour(one.colour), "data-series": one.key }), alone);
}

// The value of a colour's name, so that a picture that is taken away keeps it.
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim() || "currentColor";
}

function reading(frame, made, shown) {
  const { svg, tip, x, y, box, pointer } = frame;
  const places = [...new Set(shown.flatMap((one) => one.points.map((point) => point[0])))].filter((v) => Number.isFinite(x(v))).sort((a, b) => a - b);
  let at = Math.floor(places.length / 2);
  const show = (index, aloud) => {
    at = Math.max(0, Math.min(places.length - 1, index));
    const values = shown.map((one) => [one, one.points.find((point) => point[0] === places[at])?.[1]]).filter(([, v]) => v !== undefined && v !== null);
    const px = x(places[at]);
    pointer.replaceChildren(
      s("line", { x1: px, x2: px, y1: box.top, y2: box.bottom, class: "guide" }),
      ...values.filter(([, v]) => Number.isFinite(y(v)) && y(v) >= box.top - 2 && y(v) <= box.bottom + 2).map(([one, v]) => s("circle", { cx: px, cy: y(v), r: 4, fill: colour(one.colour) })),
    );
    const lines = made.read(places[at], values);
    tip.replaceChildren(...lines.map((text, i) => h("div", { class: i ? "" : "tip-head" }, text)));
    tip.hidden = false;
    const rate = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    const late = px * rate > svg.clientWidth / 2;
    tip.style.left = late ? "auto" : `${px * rate + 12}px`;
    tip.style.right = late ? `${svg.parentNode.clientWidth - px * rate + 12}px` : "auto";
    if (aloud) announce(lines.join("; "));
  };
  const hide = () => {
    tip.hidden = true;
    pointer.replaceChildren();
  };
  svg.addEventListener("pointermove", (event) => {
    const bounds = svg.getBoundingClientRect();
    const px = ((event.clientX - bounds.left) / bounds.width) * svg.viewBox.baseVal.width;
    let near = 0;
    places.forEach((place, i) => {
      if (Math.abs(x(place) - px) < Math.abs(x(places[near]) - px)) near = i;
    });
    show(near, false);
  });
  svg.addEventListener("pointerleave", hide);
  svg.addEventListener("blur", hide);
  svg.addEventListener("keydown", (event) => {
    const moves = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: places.length - 1 };
    if (!(event.key in moves)) return;
    event.preventDefault();
    show(tip.hidden && event.key.startsWith("Arrow") ? at : moves[event.key], true);
  });
}

function legend(host, kept) {
  if (kept.made.series.length < 2) return "";
  const entries = kept.made.series.map((one) => {
    const swatch = s("svg", { width: 18, height: 10, "aria-hidden": "true" }, s("path", { d: "M1 5H17", class: `line ${one.style ?? ""}`, stroke: colour(one.colour) }));
    const toggle = () => {
      if (!kept.hidden.delete(one.key)) kept.hidden.add(one.key);
      redraw(host, true);
      host.querySelector(`[data-legend="${CSS.escape(one.key)}"]`)?.focus();
    };
    return h("li", {}, h("button", { type: "button", class: "legend-entry", "data-legend": one.key, "aria-pressed": String(!kept.hidden.has(one.key)), onclick: toggle }, swatch, h("span", { dir: "auto" }, one.label)));
  });
  return h("ul", { class: "legend", "aria-label": t("chart.legend") }, entries);
}

// The same numbers for whoever reads rather than looks.
function table(made, shown) {
  const places = [...new Set(shown.flatMap((one) => one.points.map((point) => point[0])))].sort((a, b) => a - b);
  const kept = places.length > 24 ? places.filter((_, i) => i % Math.ceil(places.length / 24) === 0) : places;
  const rows = kept.map((place) =>
    h("tr", {}, h("th", { scope: "row" }, made.show.x(place)), shown.map((one) => {
      const value = one.points.find((point) => point[0] === place)?.[1];
      return h("td", {}, value === undefined || value === null ? "–" : made.show.y(value, one));
    })),
  );
  const head = h("tr", {}, h("th", { scope: "col" }, made.x.label), shown.map((one) => h("th", { scope: "col" }, one.label)));
  return h("details", { class: "chart-table" }, h("summary", {}, t("chart.table")), h("div", { class: "scroll", tabindex: 0 }, h("table", { dir: "ltr" }, h("thead", {}, head), h("tbody", {}, rows))));
}
