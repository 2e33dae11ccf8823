// What an attacker can do, in plain words: people, not symbols.

import { byId, h, ltr, s } from "../shared/dom.js";
import { number, numeral, ofThousand, t, up } from "../shared/words.js";
import { FINENESS, across, boundary, byAlarms, wholeRegion } from "./rates.js";

// All but the last sentence can be read off the region, which is at hand; odds cost more, and come when they come.
export const attacker = {
  name: "attacker",
  refine: FINENESS,
  question: wholeRegion,
  after: (state) => ["/v1/risk", { mechanism: state.plan, fpr: state.fpr, prior: state.prior, delta: level(state) }],
  draw(host, reply, state) {
    const [fpr, prior] = [number(state.fpr), number(state.prior)];
    const picked = ofThousand(Math.min(1, 1 - across(byAlarms(reply), fpr)));
    const guess = Math.round(fpr * 1000);
    const least = Math.min(prior, 1 - prior, ...boundary(reply).map(([miss, alarm]) => prior * miss + (1 - prior) * alarm));
    const before = Math.round(Math.max(prior, 1 - prior) * 1000);
    host.replaceChildren(
      h("div", { class: "people" }, crowd(picked, guess)),
      h(
        "div",
        { class: "sentences" },
        h("p", { class: "first" }, emphasised("attacker.picked", { picked, alarms: guess })),
        h("p", {}, emphasised("attacker.guessing", { guess })),
        h("p", {}, emphasised("attacker.right", { right: ofThousand(1 - least), before })),
        h("p", { id: "attacker-odds" }),
        h("p", { class: "quiet" }, t("attacker.best"), " ", ltr(`TV ≤ ${up(reply.total_variation.upper)}`)),
      ),
    );
    byId("attacker").dataset.picked = String(picked);
  },
  add(host, reply, state) {
    const odds = numeral(reply.readings.find((one) => one.reading === "posterior odds").answer.upper);
    const sure = Number.isFinite(odds) ? odds / (1 + odds) : 1;
    const said = emphasised("attacker.sure", { before: percent(number(state.prior)), after: percent(sure), delta: level(state) });
    byId("attacker-odds").replaceChildren(...said);
  },
};

const level = (state) => (number(state.delta) > 0 ? state.delta : "1e-6");

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
