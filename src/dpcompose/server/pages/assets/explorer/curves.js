// Growth with the number of runs, and the profile: every theorem a line, the certified one thick.

import { chart } from "../shared/chart.js";
import { byId, s } from "../shared/dom.js";
import { about, number, numeral, t, titled, up } from "../shared/words.js";

const LINES = 8;

// The certified answer first, then theorems from the tightest at the end; those that say the same share a line.
function lines(reply, places) {
  const truth = { key: "certified", names: [t("curves.certified")], style: "strong", points: reply.truth.map((one, i) => [places[i], finite(one.upper)]) };
  const found = [truth];
  for (const one of [...reply.theorems].reverse()) {
    const points = one.upper.map((value, i) => [places[i], finite(value)]);
    if (points.every(([, value]) => value === null)) continue;
    const same = found.find((other) => alike(other.points, points));
    if (same) same.names.push(titled("theorem", one.theorem));
    else found.push({ key: one.theorem, names: [titled("theorem", one.theorem)], style: "thin", points });
  }
  return found.map((one, i) => ({ ...one, label: one.names.join(" = "), colour: `line-${Math.min(i, LINES)}` }));
}

const alike = (one, other) => one.every(([, a], i) => (a === null) === (other[i][1] === null) && (a === null || Math.abs(a - other[i][1]) <= 2e-3 * Math.abs(a)));

const finite = (value) => (value === null || !Number.isFinite(numeral(value)) ? null : numeral(value));

// The tightest few, each by the first of its names.
function spoken(head, values, most = 5) {
  const sorted = [...values].sort((a, b) => a[1] - b[1]);
  return [head, ...sorted.slice(0, most).map(([one, value]) => `${one.names[0]}: ≤ ${up(value)}`)];
}

// Where one stands on the horizontal axis; the name keeps off the vertical one.
function here(at, box, name) {
  const late = at - box.left > 60;
  return s("g", {}, s("line", { x1: at, x2: at, y1: box.top, y2: box.bottom, class: "here" }), s("text", { x: at + (late ? -6 : 6), y: box.top + 12, "text-anchor": late ? "end" : "start", class: "here-name" }, name));
}

export const growth = {
  name: "growth",
  refine: ["6", "32"],
  question(state, places) {
    const most = Math.max(10, 2 * state.count);
    return ["/v1/growth", { mechanism: state.step, delta: state.delta, counts: `1:${Math.min(most, 10 ** 9)}:${places}` }];
  },
  draw(host, reply, state) {
    const at = reply.counts;
    const marks = [(x, y, box) => here(x(state.count), box, `k = ${state.count}`)];
    const none = at.find((_, i) => numeral(reply.truth[i].upper) === Infinity);
    const series = lines(reply, at);
    const logged = at.at(-1) > 40;
    const values = series.flatMap((one) => one.points.map(([, value]) => value)).filter((value) => value > 0);
    const steep = Math.max(...values) > 30 * Math.min(...values);
    chart(host, {
      series, x: { label: t("growth.x"), whole: true, log: logged, domain: [at[0], at.at(-1)] }, y: { label: "ε", log: logged || steep, from: 0, floor: 1e-6 },
      marks: state.count >= at[0] && state.count <= at.at(-1) ? marks : [], summary: t("growth.summary"),
      read: (k, values) => spoken(`k = ${k}`, values), show: { x: String, y: up },
    });
    byId("growth-note").textContent = none === undefined ? "" : t("growth.infinite", { k: none, delta: state.delta });
  },
};

export const profile = {
  name: "profile",
  refine: ["7", "41"],
  question(state, places) {
    const end = state.upper === undefined || !Number.isFinite(state.upper) || state.upper <= 0 ? null : round(state.upper * 1.6);
    return ["/v1/profile", end === null ? { mechanism: state.plan } : { mechanism: state.plan, epsilons: `0:${end}:${places}` }];
  },
  draw(host, reply, state) {
    const at = reply.epsilons.map(number);
    const delta = number(state.delta);
    const level = (x, y, box) => (delta > 0 && y(delta) <= box.bottom && y(delta) >= box.top ? s("g", {}, s("line", { x1: box.left, x2: box.right, y1: y(delta), y2: y(delta), class: "here" }), s("text", { x: box.right, y: y(delta) - 6, "text-anchor": "end", class: "here-name" }, `δ = ${state.delta}`)) : s("g"));
    chart(host, {
      series: lines(reply, at), x: { label: "ε", domain: [0, at.at(-1)] }, y: { label: "δ", log: true, floor: Math.min(1e-9, delta > 0 ? delta / 30 : 1) },
      marks: [level], summary: t("profile.summary"), read: (e, values) => spoken(`ε = ${about(e, 4)}`, values), show: { x: (e) => about(e, 4), y: up },
    });
  },
};

const round = (value) => String(Number(value.toPrecision(2)));
