// What happened, newest first, filtered as one types, a page at a time.

import { byId, debounced, h } from "../shared/dom.js";
import { read } from "../shared/http.js";
import { t, titled } from "../shared/words.js";
import { value } from "./forms.js";

const PAGE = 20;

export class History {
  constructor() {
    this.form = byId("history-form");
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("input", debounced(() => this.load(), 200));
  }

  show(account) {
    this.account = account;
    return this.load();
  }

  address(after) {
    const asked = new URLSearchParams({ limit: PAGE, below: "true" });
    for (const name of ["kind", "who", "text"]) if (value(this.form, name)) asked.set(name, value(this.form, name));
    if (after !== null) asked.set("after", after);
    return `/v1/accounts/${encodeURIComponent(this.account.account)}/history?${asked}`;
  }

  async load() {
    const reply = await read(this.address(null));
    const head = ["when", "step", "what", "who", "key"].map((name) => h("th", { scope: "col" }, t(`history.${name}`)));
    const body = h("tbody", {}, reply.entries.map(row));
    const more = h("button", { type: "button", class: "small quiet" }, t("history.more"));
    let next = reply.next;
    more.hidden = next === null;
    more.addEventListener("click", async () => {
      const further = await read(this.address(next));
      body.append(...further.entries.map(row));
      next = further.next;
      more.hidden = next === null;
    });
    const table = h("div", { class: "scroll", tabindex: 0 }, h("table", {}, h("thead", {}, h("tr", {}, head)), body));
    byId("history").replaceChildren(reply.entries.length ? table : h("p", { class: "quiet" }, t("history.none")), more);
  }
}

function row(entry) {
  return h(
    "tr",
    {},
    h("td", { class: "when", dir: "ltr" }, entry.at.slice(0, 19).replace("T", " ")),
    h("td", {}, titled("step", entry.kind)),
    h("td", {}, entry.mechanism && h("code", { dir: "ltr" }, entry.mechanism), entry.purpose && h("div", { class: "quiet", dir: "auto" }, entry.purpose)),
    h("td", { dir: "auto" }, entry.who ?? ""),
    h("td", {}, h("code", { dir: "ltr" }, entry.key ?? "")),
  );
}
