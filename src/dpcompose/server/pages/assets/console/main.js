// The console: who is signed in, the tree of budgets, and the account that is looked at.

import { announce, byId, h } from "../shared/dom.js";
import { change, read, signed } from "../shared/http.js";
import { page, t } from "../shared/words.js";
import { Account } from "./account.js";
import { dialogs, sentence, submitted, value } from "./forms.js";
import { listen, people } from "./people.js";
import { tree } from "./tree.js";

const books = { who: null, accounts: [], chosen: new URLSearchParams(location.search).get("account") };
const account = new Account(books, refresh);

async function enter(session) {
  books.who = session;
  signed(session.csrf);
  byId("signin").hidden = true;
  byId("books").hidden = false;
  byId("who-name").textContent = session.name;
  byId("who-role").textContent = t(`role.${session.role}`);
  byId("who-until").textContent = t("console.until", { when: session.expires.slice(0, 16).replace("T", " ") });
  for (const element of document.querySelectorAll("[data-role]")) element.hidden = !element.dataset.role.split(" ").includes(session.role);
  await refresh();
  document.body.classList.add("ready");
}

function leave() {
  signed(null);
  byId("books").hidden = true;
  byId("signin").hidden = false;
  byId("signin-token").value = "";
  byId("signin-token").focus();
  document.body.classList.add("ready");
}

// Everything anew; a session that has ended leads back to the door.
async function refresh(only) {
  byId("books-error").textContent = "";
  try {
    await load(only);
  } catch (error) {
    if (error.status === 401) leave();
    else byId("books-error").textContent = sentence(error);
  }
}

// The tree, the account, and what owners and auditors see besides.
async function load(only) {
  books.accounts = await everyAccount();
  if (!books.accounts.some((one) => one.account === books.chosen)) books.chosen = books.accounts[0]?.account ?? null;
  tree(byId("tree"), books, choose);
  byId("nothing").hidden = Boolean(books.chosen);
  byId("account").hidden = !books.chosen;
  const shown = books.chosen ? account.show(books.accounts.find((one) => one.account === books.chosen)) : null;
  await Promise.all([shown, only === "account" ? null : people(books)]);
}

async function everyAccount() {
  const found = [];
  for (let after = 0; after !== null; ) {
    const reply = await read(`/v1/accounts?limit=500&after=${after}`);
    found.push(...reply.accounts);
    after = reply.next;
  }
  return found;
}

function choose(name) {
  books.chosen = name;
  const link = new URL(location.href);
  link.searchParams.set("account", name);
  history.pushState(null, "", link);
  refresh("account");
}

function options(select, chosen, none) {
  const names = books.accounts.map((one) => h("option", { value: one.account, selected: one.account === chosen }, one.account));
  select.replaceChildren(...(none ? [h("option", { value: "" }, none)] : []), ...names);
}

dialogs((dialog, opener) => {
  if (dialog.id === "new-account") options(byId("new-parent"), opener.hasAttribute("data-below") ? books.chosen : "", t("new.top"));
  if (dialog.id === "new-token") {
    options(byId("token-accounts"), books.chosen, t("tokens.whole"));
    byId("token-made").replaceChildren();
  }
});

submitted(byId("signin-form"), async (form) => enter(await change("POST", "/v1/session", { token: value(form, "token") })));

submitted(byId("new-account").querySelector("form"), async (form) => {
  const wish = { name: value(form, "name"), unit: value(form, "unit"), epsilon: value(form, "epsilon"), delta: value(form, "delta"), filter: value(form, "filter"), adjacency: value(form, "adjacency") };
  for (const name of ["parent", "dataset"]) if (value(form, name)) wish[name] = value(form, name);
  if (wish.filter === "renyi") wish.orders = value(form, "orders");
  const made = await change("POST", "/v1/accounts", wish);
  byId("new-account").close();
  books.chosen = made.account;
  announce(t("new.done", { name: made.account }));
  await refresh();
});

byId("signout").addEventListener("click", async () => {
  await change("DELETE", "/v1/session");
  leave();
});
addEventListener("popstate", () => {
  books.chosen = new URLSearchParams(location.search).get("account");
  refresh("account");
});
listen(books, refresh);

// A browser without the cookie is not asked who it is.
if (page.signed) read("/v1/session").then(enter, leave);
else leave();
