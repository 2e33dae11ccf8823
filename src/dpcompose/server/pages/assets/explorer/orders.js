// Which order? The divergence grows with the order α, the toll for δ falls: their sum has one lowest point.

import { chart, colour } from "../shared/chart.js";
import { s } from "../shared/dom.js";
import { about, number, numeral, t, up } from "../shared/words.js";

const ORDERS = ["1.25", "1.5", "2", "3", "4", "6", "8", "12", "16", "24", "32", "64", "128"];

export const orders = {
  name: "orders",
  // One question an order; the panel is drawn once all are answered.
  questions: (state) => ORDERS.map((order) => ["/v1/renyi", { mechanism: state.plan, order }]),
  drawAll(host, replies, state) {
    const delta = number(state.delta);
    const known = replies.map((reply, i) => [Number(ORDERS[i]), numeral(reply.upper)]).filter(([, value]) => Number.isFinite(value));
    const toll = delta > 0 ? Math.log(1 / delta) : Infinity;
    const markov = known.map(([a, value]) => [a, value + toll / (a - 1)]);
    const sharper = known.map(([a, value]) => [a, Math.max(0, value + Math.log1p(-1 / a) + (toll - Math.log(a)) / (a - 1))]);
    const series = [
      { key: "divergence", label: t("orders.divergence"), colour: "line-4", style: "thin", points: known },
      { key: "sharper", label: t("theorem.RDP-CKS"), colour: "line-0", style: "strong", points: sharper.filter(([, v]) => v > 0) },
      { key: "markov", label: t("theorem.RDP-CONV"), colour: "line-1", style: "thin", points: markov },
    ].filter((one) => one.points.some(([, value]) => Number.isFinite(value)));
    if (!known.length) return host.replaceChildren(document.createTextNode(t("orders.none")));
    const lowest = (points) => points.reduce((best, point) => (point[1] < best[1] ? point : best), [0, Infinity]);
    const mark = (points, name) => (x, y) => {
      const [a, value] = lowest(points);
      return Number.isFinite(value) ? s("circle", { cx: x(a), cy: y(value), r: 5, fill: colour(name) }) : s("g");
    };
    return chart(host, {
      series, x: { label: t("orders.x"), log: true }, y: { label: "ε", log: true }, marks: [mark(sharper, "line-0"), mark(markov, "line-1")],
      summary: t("orders.summary"), read: (a, values) => [`α = ${about(a)}`, ...values.map(([one, value]) => `${one.label}: ${one.key === "divergence" ? `≤ ${up(value)}` : `≈ ${about(value, 4)}`}`)],
      show: { x: (a) => about(a), y: (value, one) => (one.key === "divergence" ? up(value) : about(value, 4)) },
    });
  },
};
