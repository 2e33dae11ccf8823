// Every theorem side by side: the shortest bar wins, and each says on a click what it states and why it holds here.

import { h, ltr } from "../shared/dom.js";
import { aborted, read } from "../shared/http.js";
import { down, numeral, t, titled, up } from "../shared/words.js";

export const theorems = {
  name: "theorems",
  question: (state) => ["/v1/compare", { mechanism: state.plan, delta: state.delta }],
  draw(host, reply) {
    const said = reply.rows.filter((row) => row.upper !== null);
    const silent = reply.rows.filter((row) => row.upper === null);
    const finite = said.map((row) => numeral(row.upper)).filter(Number.isFinite);
    const lower = numeral(reply.best.lower);
    const widest = Math.max(Math.min(Math.max(...finite), WIDEST * Math.min(...finite)), 1e-300);
    const parts = [
      h("p", { class: "why" }, why(reply)),
      h("ul", { class: "bars" }, said.map((row) => bar(row, widest, lower, reply))),
      silent.length > 0 && h("details", { class: "silent" }, h("summary", {}, t("theorems.silent", { count: silent.length })), h("ul", {}, silent.map((row) => h("li", {}, button(row, reply), " ", h("span", { lang: "en", dir: "ltr" }, row.reason))))),
    ];
    host.replaceChildren(...parts.filter(Boolean));
  },
};

// A theorem that is far off must not squeeze all others: beyond so many times the tightest, bars are cut.
const WIDEST = 5;

function why(reply) {
  const best = reply.rows.find((row) => row.tightest);
  if (!best) return t("theorems.none");
  const next = reply.rows.find((row) => !row.tightest && row.upper !== null && numeral(row.upper) > numeral(best.upper) * 1.001);
  const exact = numeral(reply.best.upper) - numeral(reply.best.lower) <= 1e-4 * numeral(reply.best.upper);
  const name = titled("theorem", best.theorem);
  const reason = exact ? t("theorems.exact", { name }) : t("theorems.tightest", { name });
  return next && Number.isFinite(numeral(next.upper))
    ? `${reason} ${t("theorems.next", { name: titled("theorem", next.theorem), times: (numeral(next.upper) / numeral(best.upper)).toPrecision(3) })}`
    : reason;
}

function bar(row, widest, lower, reply) {
  const value = numeral(row.upper);
  const fill = h("span", { class: value > widest ? "bar-fill cut" : "bar-fill" });
  fill.style.inlineSize = `${Math.min(100, Math.max(1, (value / widest) * 100))}%`;
  const floor = h("span", { class: "bar-floor", title: t("theorems.floor", { value: down(lower) }) });
  floor.style.insetInlineStart = `${Math.min(100, (lower / widest) * 100)}%`;
  return h(
    "li",
    { class: row.tightest ? "bar tightest" : "bar", "data-theorem-row": row.theorem },
    h("div", { class: "bar-head" }, button(row, reply), row.tightest && h("span", { class: "badge" }, t("theorems.winner")), h("span", { class: "bar-value" }, ltr(up(value)))),
    h("div", { class: "bar-track", "aria-hidden": "true" }, fill, Number.isFinite(lower) && floor),
  );
}

function button(row, reply) {
  const open = () => detail(row, reply);
  return h("button", { type: "button", class: "link", onclick: open, "aria-haspopup": "dialog" }, titled("theorem", row.theorem), " ", h("span", { class: "identifier", dir: "ltr" }, row.theorem));
}

export async function detail(row, reply) {
  const dialog = document.getElementById("detail");
  const place = h("div", { class: "statement", lang: "en", dir: "ltr" }, "…");
  const parts = [
    h("h2", { id: "detail-title" }, titled("theorem", row.theorem), " ", h("span", { class: "identifier", dir: "ltr" }, row.theorem)),
    row.upper !== null && row.upper !== undefined && h("p", {}, ltr(`ε ≤ ${up(row.upper)}`)),
    row.reason && h("p", { lang: "en", dir: "ltr" }, row.reason),
    h("h3", {}, t("detail.statement")),
    place,
    row.by && h("h3", {}, t("detail.proof")),
    row.by && h("ul", { class: "proof", dir: "ltr" }, proof(row.by, reply.theorems)),
    h("p", {}, h("a", { href: `/theorems/${row.theorem}`, target: "_blank", rel: "noopener" }, t("detail.page"))),
  ];
  dialog.querySelector(".dialog-body").replaceChildren(...parts.filter(Boolean));
  // The bar that was pressed may have been drawn anew meanwhile: the focus goes back to the one in its place.
  dialog.addEventListener("close", () => document.querySelector(`[data-theorem-row="${CSS.escape(row.theorem)}"] button`)?.focus(), { once: true });
  if (!dialog.open) dialog.showModal();
  try {
    const text = await read(`/theorems/${encodeURIComponent(row.theorem)}?part=1`);
    const parsed = new DOMParser().parseFromString(text, "text/html");
    place.replaceChildren(...[...parsed.body.childNodes].map((child) => document.importNode(child, true)));
  } catch (error) {
    if (!aborted(error)) place.textContent = error.message;
  }
}

const MOST = 12;

function proof(claim, theorems) {
  const theorem = theorems[claim.name];
  const shown = claim.premises.slice(0, MOST);
  return h(
    "li",
    {},
    h("span", { class: "identifier" }, claim.theorem),
    " ",
    h("code", {}, shortened(claim.subject)),
    " ⊢ ",
    h("strong", {}, claim.guarantee),
    theorem && h("cite", {}, ` ${theorem.source.key} ${theorem.source.where}`),
    shown.length > 0 && h("ul", {}, shown.map((premise) => proof(premise, theorems)), claim.premises.length > MOST && h("li", {}, `… +${claim.premises.length - MOST}`)),
  );
}

const shortened = (text) => (text.length > 70 ? `${text.slice(0, 67)}…` : text);
