// The answer in one line, between its two ends.

import { announce, byId, h, ltr } from "../shared/dom.js";
import { down, numeral, t, titled, up } from "../shared/words.js";

export const answer = {
  name: "answer",
  question: (state) => ["/v1/epsilon", { mechanism: state.plan, delta: state.delta }],
  draw(host, reply, state) {
    const [low, high] = [numeral(reply.lower), numeral(reply.upper)];
    const headline = high === Infinity ? "ε = ∞" : `ε ≤ ${up(high)}`;
    const parts = [
      h("p", { class: "headline" }, ltr(headline)),
      h("p", { class: "at" }, t("answer.at"), " ", ltr(`δ = ${state.delta}`)),
    ];
    if (high !== Infinity) {
      parts.push(h("p", { class: "ends" }, t("answer.ends"), " ", ltr(`${down(low)} ≤ ε ≤ ${up(high)}`)));
    }
    const claim = reply.upper_by;
    if (claim) {
      const theorem = reply.theorems[claim.name];
      parts.push(h("p", { class: "by" }, t("answer.by"), " ", h("a", { href: `/theorems/${claim.theorem}`, "data-theorem": claim.theorem }, titled("theorem", claim.theorem)), " ", h("cite", { dir: "ltr" }, `${theorem.source.key} ${theorem.source.where}`)));
    }
    if (reply.note) parts.push(h("p", { class: "note", lang: "en", dir: "ltr" }, reply.note));
    if (reply.meaning) parts.push(h("p", { class: "note", lang: "en", dir: "ltr" }, reply.meaning));
    host.replaceChildren(...parts, scale(high));
    byId("answer").dataset.upper = String(reply.upper);
    announce(`${headline}, ${t("answer.at")} δ = ${state.delta}`);
  },
};

// Where the answer lies among what is in use: a rule of thumb, and named as one.
function scale(epsilon) {
  const at = Math.max(0, Math.min(1, (Math.log10(Math.max(epsilon, 0.01)) + 2) / 4));
  const mark = h("span", { class: "scale-mark" });
  mark.style.insetInlineStart = `${(Number.isFinite(epsilon) ? at : 1) * 100}%`;
  return h("div", { class: "scale", title: t("answer.scale") }, h("div", { class: "scale-bar" }, mark), h("div", { class: "scale-names", "aria-hidden": "true" }, ["0.01", "0.1", "1", "10", "100"].map((text) => h("span", {}, text))));
}
