// One account: its promise, its sums, how they went down, and what may be done with it.

import { chart } from "../shared/chart.js";
import { byId, h, ltr } from "../shared/dom.js";
import { read } from "../shared/http.js";
import { t, titled } from "../shared/words.js";
import { History } from "./history.js";
import { Spending } from "./spending.js";
import { gauge, percent } from "./tree.js";

export const path = (account) => `/v1/accounts/${encodeURIComponent(account.account)}`;

export class Account {
  constructor(books, refresh) {
    this.books = books;
    this.spending = new Spending(books, refresh);
    this.history = new History();
  }

  async show(account) {
    byId("account-title").replaceChildren(h("bdi", {}, account.account));
    byId("account-claim").replaceChildren(...claim(account.claim));
    const dataset = account.dataset ? [t("account.dataset", { name: account.dataset }), " · "] : [];
    byId("account-terms").replaceChildren(...dataset, t("account.unit", { unit: account.unit }), " · ", titled("option", account.adjacency), " · ", titled("option", account.filter ?? account.mode));
    byId("account-sums").replaceChildren(h("div", { class: "sums" }, account.coordinates.filter((one) => one.cap !== "0").map(sum)));
    byId("account-statement").href = `${path(account)}/statement`;
    this.spending.show(account);
    const [down, holds] = await Promise.all([read(`${path(account)}/burndown`), read(`${path(account)}/holds`), this.history.show(account)]);
    burndown(down);
    this.spending.holds(account, holds.holds);
  }
}

// "ε = 1 at δ = 1e-6", of which only one word is in a language.
function claim(text) {
  const [first, ...rest] = text.split(" at ");
  return [ltr(first), ...rest.flatMap((part) => [` ${t("answer.at")} `, ltr(part)])];
}

function sum(one) {
  const name = titled("sum", one.name);
  return h(
    "div",
    { class: "sum" },
    h("div", { class: "sum-head" }, h("span", {}, ltr(name), ": ", t("account.used", { used: one.used, cap: one.cap })), h("strong", {}, t("account.left", { left: one.left }), " ", ltr(`(${percent(1 - one.share)})`))),
    gauge(one.share),
  );
}

function burndown(reply) {
  const places = reply.at.map((_, i) => i);
  const when = (i) => (reply.at[i] ? reply.at[i].slice(0, 16).replace("T", " ") : t("burndown.start"));
  const series = Object.entries(reply.left).map(([name, left], i) => ({
    key: name, label: titled("sum", name), colour: `line-${i}`, style: "strong", points: left.map((share, j) => [places[j], share]),
  }));
  chart(byId("burndown"), {
    series, x: { label: t("burndown.x"), whole: true, domain: [0, Math.max(1, places.length - 1)] }, y: { label: t("burndown.y"), domain: [0, 1] },
    summary: t("burndown.summary"), read: (i, values) => [when(i), ...values.map(([one, share]) => `${one.label}: ${percent(share)}`)],
    show: { x: when, y: (share) => percent(share) },
  });
}
