// What an attacker can do, in plain words: people, not symbols.

import { byId, h, ltr, s } from "../shared/dom.js";
import { numeral, ofThousand, t, up } from "../shared/words.js";
import { number } from "./curves.js";

export const attacker = {
  name: "attacker",
  question: (state) => ["/v1/risk", { mechanism: state.plan, fpr: state.fpr, prior: state.prior, delta: number(state.delta) > 0 ? state.delta : "1e-6" }],
  draw(host, reply, state) {
    const found = Object.fromEntries(reply.readings.map((one) => [one.reading, one.answer]));
    const picked = ofThousand(found["TPR at FPR"].upper);
    const guess = Math.round(number(reply.fpr) * 1000);
    const right = ofThousand(found.accuracy.upper);
    const before = Math.round(Math.max(number(reply.prior), 1 - number(reply.prior)) * 1000);
    const odds = numeral(found["posterior odds"].upper);
    const sure = Number.isFinite(odds) ? odds / (1 + odds) : 1;
    host.replaceChildren(
      h("div", { class: "people" }, crowd(picked, guess)),
      h(
        "div",
        { class: "sentences" },
        h("p", { class: "first" }, emphasised("attacker.picked", { picked, alarms: guess })),
        h("p", {}, emphasised("attacker.guessing", { guess })),
        h("p", {}, emphasised("attacker.right", { right, before })),
        h("p", {}, emphasised("attacker.sure", { before: percent(number(reply.prior)), after: percent(sure), delta: number(state.delta) > 0 ? state.delta : "1e-6" })),
        h("p", { class: "quiet" }, t("attacker.best"), " ", ltr(`TV ≤ ${up(found.advantage.upper)}`)),
      ),
    );
    byId("attacker").dataset.picked = String(picked);
  },
};

// A percentage that is never rounded below the bound.
const percent = (share) => `${Math.min(100, Math.ceil(share * 1000) / 10)}%`;

// A sentence in which the numbers stand out.
function emphasised(key, values) {
  const pieces = t(key, Object.fromEntries(Object.keys(values).map((name) => [name, `\u0000${name}\u0000`]))).split("\u0000");
  return pieces.map((piece, i) => (i % 2 ? h("strong", { dir: "ltr" }, String(values[piece])) : piece));
}

const COLUMNS = 40;

// A thousand people: those that an attacker finds, and among them those that a blind guess would hit.
function crowd(picked, guess) {
  const dots = Array.from({ length: 1000 }, (_, i) => {
    const [column, row] = [i % COLUMNS, Math.floor(i / COLUMNS)];
    return s("circle", { cx: 5 + column * 10, cy: 5 + row * 10, r: 3.4, class: i < Math.min(guess, picked) ? "guessed" : i < picked ? "picked" : "safe" });
  });
  return s("svg", { viewBox: "0 0 400 250", role: "img", class: "crowd", direction: "ltr", "aria-label": t("attacker.crowd", { picked }) }, dots);
}
