// What is asked, and the link that says it: every state is an address.

const NAMES = { plan: "m", delta: "d", k: "k", fpr: "fpr", prior: "prior", show: "show" };
const FIRST = { plan: "30 * BlackBox(epsilon=0.1, delta=0.001)", delta: "0.05", k: "", fpr: "0.01", prior: "0.5", show: "" };

export function fromAddress() {
  const given = new URLSearchParams(location.search);
  return Object.fromEntries(Object.entries(NAMES).map(([name, short]) => [name, given.get(short) ?? FIRST[name]]));
}

// What is as it was at first stays out of the link, but for the plan and δ; the language stays in, if it was asked for.
export function address(state) {
  const said = new URLSearchParams();
  for (const [name, short] of Object.entries(NAMES)) {
    const always = name === "plan" || name === "delta";
    if (always || state[name] !== FIRST[name]) said.set(short, state[name]);
  }
  const language = new URLSearchParams(location.search).get("lang");
  if (language) said.set("lang", language);
  return `${location.pathname}?${said}`;
}

// The switches to other languages lead to the same state.
export function remember(state, { push = false } = {}) {
  const link = address(state);
  if (push) history.pushState(null, "", link);
  else history.replaceState(null, "", link);
  for (const anchor of document.querySelectorAll("a[data-language]")) {
    const there = new URL(link, location.href);
    there.searchParams.set("lang", anchor.dataset.language);
    anchor.href = there.pathname + there.search;
  }
}
