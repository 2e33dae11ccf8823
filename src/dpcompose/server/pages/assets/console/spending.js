// Quote before you spend: the price and whether it fits come first, and only then the button.

import { announce, byId, h, ltr } from "../shared/dom.js";
import { Problem, change, fresh } from "../shared/http.js";
import { number, t, titled, whole } from "../shared/words.js";
import { path } from "./account.js";
import { clear, refuse, sentence, submitted, value } from "./forms.js";

export class Spending {
  constructor(books, refresh) {
    Object.assign(this, { books, refresh, account: null, quoted: null });
    this.form = byId("quote-form");
    byId("quote-key").placeholder = t("quote.new");
    submitted(this.form, () => this.quote());
    this.form.addEventListener("input", () => {
      this.said();
      this.forget();
    });
    byId("spend").addEventListener("click", () => this.spend(true));
    byId("hold").addEventListener("click", () => this.spend(false));
  }

  show(account) {
    if (this.account?.account !== account.account) {
      clear(this.form);
      this.said();
      this.forget();
    }
    this.account = account;
  }

  // A changed request has no price yet.
  forget() {
    this.quoted = null;
    this.allow(false);
  }

  said(kind, ...parts) {
    byId("quote-result").replaceChildren(...(parts.length ? [h("div", { class: `verdict ${kind}` }, parts)] : []));
  }

  async quote() {
    const mechanism = value(this.form, "mechanism");
    const reply = await change("POST", `${path(this.account)}/quote`, { mechanism });
    const capped = Object.entries(reply.cost).filter(([name, cost]) => cost !== "0" || reply.left[name] !== "0");
    const costs = capped.map(([name, cost]) => h("p", {}, ltr(`${titled("sum", name)}: ${short(cost)}`), " ", t("quote.of", { left: short(reply.left[name]) })));
    this.said(reply.fits ? "good" : "bad", h("strong", {}, reply.fits ? t("quote.fits") : t("quote.refused")), costs, h("p", { lang: "en", dir: "ltr" }, reply.why), reply.fits && h("p", {}, t("quote.more", { count: whole(reply.remaining) })));
    announce(reply.fits ? t("quote.fits") : `${t("quote.refused")} ${reply.why}`);
    this.quoted = reply.fits ? mechanism : null;
    this.attempt = { true: fresh(), false: fresh() };
    this.allow(reply.fits);
  }

  allow(may) {
    byId("spend").disabled = !may;
    byId("hold").disabled = !may;
  }

  async spend(start) {
    const wish = { mechanism: this.quoted, purpose: value(this.form, "purpose"), start };
    if (value(this.form, "key")) wish.key = value(this.form, "key");
    this.allow(false);
    try {
      const grant = await change("POST", `${path(this.account)}/grants`, wish, this.attempt[start]);
      this.quoted = null;
      const key = start ? "quote.charged" : "quote.held";
      this.said("good", h("strong", {}, t(key)), h("p", {}, t("quote.under"), " ", h("code", { dir: "ltr" }, grant.key)));
      announce(t(key));
      byId("quote-key").value = "";
      await this.refresh("account");
    } catch (error) {
      if (!(error instanceof Problem)) this.allow(true); // asked again, it is the same attempt: nothing is charged twice
      if (error.parameter) refuse(this.form, error);
      else this.said("bad", h("strong", {}, t("quote.refused")), h("p", { lang: "en", dir: "ltr" }, sentence(error)));
    }
  }

  // What waits: reserved may start or be cancelled; started ends as done or as abandoned, and stays charged.
  holds(account, found) {
    const may = this.books.who.role !== "auditor";
    const steps = { reserved: ["start", "cancel"], started: ["commit", "abandon"] };
    const row = (one) =>
      h("tr", {}, h("td", { class: "when", dir: "ltr" }, one.at.slice(0, 16).replace("T", " ")), h("td", {}, h("code", { dir: "ltr" }, one.mechanism), one.purpose && h("div", { class: "quiet", dir: "auto" }, one.purpose)), h("td", { dir: "auto" }, one.who), h("td", {}, titled("state", one.state)), may && h("td", {}, h("div", { class: "row-tools" }, steps[one.state].map((step) => h("button", { type: "button", class: "small quiet", onclick: () => this.step(one, step) }, t(`step.${step}`))))));
    const head = ["when", "what", "who", "state", ...(may ? ["then"] : [])].map((name) => h("th", { scope: "col" }, t(`holds.${name}`)));
    byId("holds").replaceChildren(found.length ? h("div", { class: "scroll", tabindex: 0 }, h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, found.map(row)))) : h("p", { class: "quiet" }, t("holds.none")));
  }

  async step(one, step) {
    try {
      await change("POST", `${path(one)}/grants/${encodeURIComponent(one.key)}/${step}`, {});
      announce(t(`step.${step}`));
    } catch (error) {
      this.said("bad", h("strong", {}, t("quote.refused")), h("p", { lang: "en", dir: "ltr" }, sentence(error)));
    }
    await this.refresh("account");
  }
}

// An exact decimal in a few digits; it is shown beside the library's own sentence, which rounds for certain.
function short(text) {
  return String(Number(number(text).toPrecision(5)));
}
