// Accounts below accounts, each with how much of its tightest cap is used.

import { h } from "../shared/dom.js";

export const worst = (account) => Math.max(0, ...account.coordinates.map((one) => one.share));
export const percent = (share) => `${share > 0 && share < 0.01 ? "<1" : Math.round(share * 100)}%`;

export function gauge(share) {
  const bar = h("span", {});
  bar.style.inlineSize = `${Math.max(share > 0 ? 1.5 : 0, share * 100)}%`;
  return h("span", { class: `gauge ${share >= 0.95 ? "full" : share >= 0.75 ? "high" : ""}`, "aria-hidden": "true" }, bar);
}

export function tree(host, books, choose) {
  const names = new Set(books.accounts.map((one) => one.account));
  const below = (name) => books.accounts.filter((one) => (names.has(one.parent) ? one.parent : null) === name);
  const branch = (name) => below(name).map((one) => h("li", {}, leaf(one, books, choose), below(one.account).length > 0 && h("ul", {}, branch(one.account))));
  host.replaceChildren(h("ul", { class: "tree" }, branch(null)));
}

function leaf(one, books, choose) {
  const share = worst(one);
  return h(
    "button",
    { type: "button", "data-account": one.account, "aria-current": one.account === books.chosen ? "true" : null, onclick: () => choose(one.account) },
    h("span", { class: "leaf-head" }, h("span", { dir: "auto" }, one.account), h("span", { dir: "ltr" }, percent(share))),
    gauge(share),
  );
}
