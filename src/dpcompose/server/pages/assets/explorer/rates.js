// The square of error rates: the region with its slider, and the trade-off an attacker faces.

import { chart, colour } from "../shared/chart.js";
import { byId, s } from "../shared/dom.js";
import { about, number, numeral, ofThousand, t, whole } from "../shared/words.js";

// The boundary on its safe side, from all false alarms to all misses: (misses, false alarms). What comes after it in a
// curved region is its mirror image, for attackers who say the opposite of what they believe.
export function boundary(reply) {
  const points = reply.vertices.length ? reply.vertices.map((v) => [numeral(v.fnr.lower), numeral(v.fpr.lower)]) : reply.outer.map(([fnr, fpr]) => [numeral(fnr), numeral(fpr)]);
  const back = points.findIndex(([miss], i) => i > 0 && miss < points[i - 1][0]);
  return back < 0 ? points : points.slice(0, back);
}

// The question that three panels share: it is asked once.
export const wholeRegion = (state, tolerance) => ["/v1/region", { mechanism: state.plan, tolerance }];
export const FINENESS = ["0.05", "0.001"];

// The same boundary with the false alarms first, as one reads β at α.
export const byAlarms = (reply) => boundary(reply).map(([miss, alarm]) => [alarm, miss]).sort((a, b) => a[0] - b[0]);

const shade = (points) => (x, y) => {
  const corners = [[0, 1], ...points, [1, 0]].map(([a, b]) => `${x(a).toFixed(2)},${y(b).toFixed(2)}`);
  return s("polygon", { points: corners.join(" "), class: "shade", fill: colour("line-0") });
};

// What (ε, δ) is in this picture: the line of slope −e^ε that touches the region meets the axis at 1 − δ.
function tangent(state, k) {
  const [start, epsilon] = [1 - number(state.delta), state.upper];
  if (k !== String(state.count) || !Number.isFinite(epsilon) || !(start > 0)) return [];
  return [{ key: "tangent", label: t("region.tangent"), colour: "line-1", style: "dashed", points: [[0, start], [start * Math.exp(-epsilon), 0]] }];
}

const guessing = () => ({ key: "guessing", label: t("region.guessing"), colour: "ink-soft", style: "dashed", points: [[0, 1], [1, 0]] });

export const region = {
  name: "region",
  refine: FINENESS,
  question(state, tolerance) {
    const k = state.k || String(state.count);
    return k === String(state.count) ? wholeRegion(state, tolerance) : ["/v1/region", { mechanism: `${k} * (${state.step})`, tolerance }];
  },
  draw(host, reply, state) {
    const k = state.k || String(state.count);
    const points = boundary(reply);
    const corner = numeral(reply.corner.lower);
    host.dataset.area = String(reply.area.upper);
    chart(host, {
      square: true, series: [{ key: "region", label: `k = ${k}`, colour: "line-0", style: "strong", points }, ...this.ghosts(state, k), ...tangent(state, k), guessing()], under: [shade(points)],
      x: { label: t("region.misses"), domain: [0, 1] }, y: { label: t("region.alarms"), domain: [0, 1] },
      marks: [(x, y) => s("circle", { cx: x(corner), cy: y(corner), r: 4, fill: colour("line-0") })],
      summary: t("region.summary", { k }), read: (miss) => [t("region.read", { miss: about(miss), alarm: about(across(points, miss)) })], show: { x: (v) => about(v, 4), y: (v) => about(v, 4) },
    });
    this.seen ??= new Map();
    this.seen.set(`${state.step}|${k}`, points);
    byId("region-corner").textContent = t("region.corner", { value: about(corner, 3), variation: about(numeral(reply.total_variation.upper), 3) });
  },
  // What was looked at before stays as a thin line, so that one sees the region grow.
  ghosts(state, k) {
    const before = [...(this.seen ?? new Map())].filter(([key]) => key.startsWith(`${state.step}|`) && key !== `${state.step}|${k}`);
    return before.slice(-4).map(([key, points], i) => ({ key, label: `k = ${key.split("|").at(-1)}`, colour: `line-${i + 1}`, style: "thin", points }));
  },
};

// The boundary at a place between corners; it is convex, so the straight line between two of them lies outside.
export function across(points, at) {
  const after = points.findIndex(([a]) => a >= at);
  if (after < 0) return 0;
  if (after === 0 || points[after][0] === at) return points[after][1];
  const [[a, b], [c, d]] = [points[after - 1], points[after]];
  return b + ((at - a) / (c - a)) * (d - b);
}

const GRID = Array.from({ length: 121 }, (_, i) => 10 ** (-5 + (5 * i) / 120));

export const tradeoff = {
  name: "tradeoff",
  refine: FINENESS,
  question: wholeRegion,
  draw(host, reply) {
    const turned = byAlarms(reply);
    const found = GRID.map((alarm) => [alarm, Math.min(1, 1 - across(turned, alarm))]);
    chart(host, {
      series: [{ key: "found", label: t("tradeoff.found"), colour: "line-0", style: "strong", points: found }, { key: "guess", label: t("region.guessing"), colour: "ink-soft", style: "dashed", points: GRID.map((a) => [a, a]) }],
      x: { label: t("tradeoff.x"), log: true, domain: [1e-5, 1] }, y: { label: t("tradeoff.y"), domain: [0, 1] }, summary: t("tradeoff.summary"),
      read: (alarm) => [t("tradeoff.read", { alarms: alarm >= 0.001 ? about(alarm * 1000, 3) : about(alarm * 1e6, 3), of: whole(alarm >= 0.001 ? 1000 : 1e6), found: ofThousand(Math.min(1, 1 - across(turned, alarm))) }), `α = ${about(alarm)}, β ≥ ${about(across(turned, alarm))}`],
      show: { x: (v) => about(v), y: (v) => about(v) },
    });
  },
};
