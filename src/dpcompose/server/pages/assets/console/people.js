// What owners and auditors see besides: tokens, the verification of the books, and the record of acts.

import { announce, byId, h } from "../shared/dom.js";
import { change, read } from "../shared/http.js";
import { t, titled, whole } from "../shared/words.js";
import { sentence, submitted, value } from "./forms.js";

const day = (text) => text.slice(0, 10);

export async function people(books) {
  if (books.who.role === "analyst") return;
  const all = books.who.accounts === null;
  const [tokens, last, acts] = await Promise.all([read("/v1/tokens"), all ? read("/v1/verification") : null, all ? read("/v1/audit?limit=12") : null]);
  showTokens(books, tokens.tokens);
  if (last) verdict(last);
  if (acts) showActs(acts.acts);
}

function showTokens(books, tokens) {
  const owner = books.who.role === "owner";
  const now = new Date().toISOString();
  const state = (one) => (one.revoked ? t("tokens.revoked") : one.expires < now ? t("tokens.expired") : t("tokens.until", { day: day(one.expires) }));
  const row = (one) =>
    h("tr", {}, h("th", { scope: "row", dir: "auto" }, one.name), h("td", {}, titled("role", one.role)), h("td", { dir: "auto" }, one.accounts ? one.accounts.join(", ") : t("tokens.whole")), h("td", { class: "when" }, state(one)), owner && h("td", {}, !one.revoked && h("button", { type: "button", class: "small danger", "data-revoke": one.id, "aria-label": `${t("tokens.revoke")} ${one.name}` }, t("tokens.revoke"))));
  const head = ["name", "role", "accounts", "valid", ...(owner ? ["end"] : [])].map((name) => h("th", { scope: "col" }, t(`tokens.${name}`)));
  byId("tokens").replaceChildren(h("div", { class: "scroll", tabindex: 0 }, h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, tokens.map(row)))));
}

function verdict(last) {
  const place = byId("verification");
  if (last.state !== "done") return place.replaceChildren(h("p", { class: "quiet" }, t(`verify.${last.state}`)));
  const parts = [
    h("strong", {}, t(last.holds ? "verify.holds" : "verify.broken")),
    h("p", {}, t("verify.counts", { entries: whole(last.entries), recomputed: whole(last.recomputed), when: last.at.slice(0, 16).replace("T", " "), who: last.who })),
    ...(last.problems ?? []).map((problem) => h("p", { lang: "en", dir: "ltr" }, problem)),
  ];
  return place.replaceChildren(h("div", { class: `verdict ${last.holds ? "good" : "bad"}` }, parts));
}

function showActs(acts) {
  const row = (one) => h("tr", {}, h("td", { class: "when", dir: "ltr" }, one.at.slice(0, 16).replace("T", " ")), h("td", { dir: "auto" }, one.name), h("td", {}, titled("act", one.act.replaceAll(" ", "_"))), h("td", { dir: "auto" }, one.subject), h("td", {}, titled("outcome", one.outcome)));
  const head = ["when", "who", "what", "subject", "outcome"].map((name) => h("th", { scope: "col" }, t(`acts.${name}`)));
  byId("acts").replaceChildren(h("div", { class: "scroll", tabindex: 0 }, h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, acts.map(row)))));
}

export function listen(books, refresh) {
  byId("verify").addEventListener("click", async (event) => {
    event.target.disabled = true;
    byId("verification").replaceChildren(h("p", { class: "quiet" }, t("verify.running")));
    try {
      let last = await change("POST", "/v1/verification");
      while (last.state === "running") {
        await new Promise((resolve) => setTimeout(resolve, 1000));
        last = await read("/v1/verification");
      }
      verdict(last);
      announce(t(last.holds ? "verify.holds" : "verify.broken"));
    } catch (error) {
      byId("verification").replaceChildren(h("p", { class: "error", role: "alert", dir: "auto" }, sentence(error)));
    } finally {
      event.target.disabled = false;
    }
  });
  byId("tokens").addEventListener("click", async (event) => {
    const button = event.target.closest("[data-revoke]");
    if (!button || !confirm(t("tokens.sure"))) return;
    button.disabled = true;
    await change("DELETE", `/v1/tokens/${button.dataset.revoke}`);
    announce(t("tokens.revoked"));
    await refresh();
  });
  submitted(byId("new-token").querySelector("form"), async (form) => {
    const wish = { name: value(form, "name"), role: value(form, "role"), days: Number(value(form, "days")) };
    if (value(form, "accounts")) wish.accounts = [value(form, "accounts")];
    const made = await change("POST", "/v1/tokens", wish);
    byId("token-made").replaceChildren(h("div", { class: "verdict good" }, h("strong", {}, t("tokens.shown", { name: made.name })), h("code", { class: "secret", dir: "ltr", id: "token-secret" }, made.token), h("p", {}, t("tokens.once"))));
    await people(books);
  });
}
