// The explorer: what is typed is asked, the form and the expression stay in step, and the address says it all.

import { announce, byId, debounced, h } from "../shared/dom.js";
import { Problem, aborted, ask } from "../shared/http.js";
import { numeral, t } from "../shared/words.js";
import { answer } from "./answer.js";
import { attacker } from "./attacker.js";
import { Composer } from "./composer.js";
import { growth, profile } from "./curves.js";
import { Exports } from "./exports.js";
import { advice, calibration } from "./inverse.js";
import { orders } from "./orders.js";
import { region, tradeoff } from "./rates.js";
import { fromAddress, remember } from "./state.js";
import { detail, theorems } from "./theorems.js";
import { fromDocument, toDocument } from "./tree.js";

const WAIT = 120;
const QUICK = 600;

// What is asked about, and what is being typed: the one becomes the other when the library has read it.
const state = { ...fromAddress(), step: "", count: 1 };
const draft = { plan: state.plan, delta: state.delta };
const expression = byId("expression");
const delta = byId("delta");
const slider = byId("k");
const composer = new Composer(byId("composer"), () => edited("form"));
const exports = new Exports();
const calibrating = calibration(composer, (text) => start(text, state.delta, true));
const advising = advice((text, at) => start(text, at, true));
const PANELS = [theorems, attacker, growth, region, profile, tradeoff, orders, calibrating, advising];
const visible = new Set();
let running = null;

const later = debounced((source) => settle(source), WAIT);
const edited = (source) => {
  document.body.classList.add("thinking");
  later(source);
};

// Reads the plan from wherever it was changed; everything else follows from what the library makes of it.
async function settle(source, { push = false } = {}) {
  running?.abort();
  running = new AbortController();
  const { signal } = running;
  const began = performance.now();
  const text = source === "form" ? JSON.stringify(toDocument(composer.plan)) : draft.plan;
  const { delta: level } = draft;
  try {
    const plan = await ask("/explore/plan", { mechanism: text, delta: level }, signal);
    if (plan.refused) throw new Problem(200, plan.refused);
    heard(plan, level, source);
    remember(state, { push });
    await questions(plan, signal, began);
  } catch (error) {
    if (!aborted(error)) refused(error, source);
  } finally {
    if (!signal.aborted) document.body.classList.remove("thinking");
  }
}

function heard(plan, level, source) {
  Object.assign(state, { plan: plan.expression, delta: level, step: plan.step, count: plan.count });
  draft.plan = source === "expression" ? draft.plan : plan.expression;
  if (source !== "expression") expression.value = plan.expression;
  if (source !== "form") composer.show(fromDocument(plan.document));
  composer.clear();
  byId("expression-error").textContent = "";
  expression.removeAttribute("aria-invalid");
  fit();
  slide();
}

// A refusal stands at the field it names; the last answer stays, pale, so that nothing jumps.
function refused(error, source) {
  const sentence = error instanceof Problem ? error.message : t("explore.unreachable");
  document.body.classList.add("refused");
  if (error.parameter === "delta") return mark(delta, byId("delta-error"), sentence);
  if (source === "form" && composer.refuse(error.parameter, sentence)) return announce(sentence);
  return mark(expression, byId("expression-error"), sentence);
}

function mark(input, place, sentence) {
  input.setAttribute("aria-invalid", "true");
  place.textContent = sentence;
  announce(sentence);
}

async function questions(plan, signal, began) {
  const reply = await ask(...answer.question(state), signal);
  state.upper = numeral(reply.upper);
  document.body.classList.remove("refused");
  delta.removeAttribute("aria-invalid");
  byId("delta-error").textContent = "";
  answer.draw(byId("answer-body"), reply, state);
  if (!document.body.classList.contains("ready") && state.show) byId(state.show)?.scrollIntoView();
  document.body.classList.add("ready");
  byId("answer").dataset.milliseconds = String(Math.round(performance.now() - began));
  document.body.classList.remove("thinking");
  const cited = Object.values(reply.theorems).map((theorem) => theorem.id);
  exports.show({ plan, state, theorems: cited });
  replies.clear();
  PANELS.forEach((panel) => byId(panel.name).classList.add("stale"));
  await fillVisible(signal);
}

// What was answered for this plan is not asked again.
const replies = new Map();

async function once(question, signal) {
  const key = JSON.stringify(question);
  if (!replies.has(key)) replies.set(key, await ask(...question, signal));
  return replies.get(key);
}

// Panels in sight, from the top, one at a time: the one that is looked at is never behind those that are not.
let filling = null;

async function fillVisible(signal = running?.signal) {
  if (filling === signal) return;
  filling = signal;
  try {
    for (let panel = nextPanel(); panel && !signal.aborted; panel = nextPanel()) await fill(panel, signal);
  } catch (error) {
    if (!aborted(error)) throw error;
  } finally {
    if (filling === signal) filling = null;
  }
}

const nextPanel = () => PANELS.find((panel) => visible.has(panel.name) && byId(panel.name).classList.contains("stale"));

// Few places first; many if those came quickly; then what may be added.
async function fill(panel, signal) {
  const card = byId(panel.name);
  const place = card.querySelector("[data-panel]");
  card.classList.remove("stale");
  if (panel.refresh) return panel.refresh(state);
  let shown = false;
  try {
    if (panel.questions) {
      const found = [];
      for (const question of panel.questions(state)) found.push(await once(question, signal));
      return panel.drawAll(place, found, state);
    }
    const began = performance.now();
    panel.draw(place, await once(panel.question(state, panel.refine?.[0]), signal), state);
    shown = true;
    if (panel.refine && performance.now() - began < QUICK) panel.draw(place, await once(panel.question(state, panel.refine[1]), signal), state);
    if (panel.after) panel.add(place, await once(panel.after(state), signal), state);
  } catch (error) {
    if (aborted(error)) throw error;
    if (!shown || error.status !== 422) place.replaceChildren(h("p", { class: "quiet", dir: "auto" }, told(error)));
  }
}

function told(error) {
  if (!(error instanceof Problem)) return t("explore.unreachable");
  return error.body.type?.endsWith(":too-expensive") ? t("explore.expensive") : error.message;
}

// A panel is asked for when it comes into sight.
const watcher = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) visible.add(target.id);
      else visible.delete(target.id);
    }
    if (state.upper !== undefined) fillVisible();
  },
  { rootMargin: "200px" },
);

function slide() {
  const most = Math.max(10, Math.min(2 * state.count, 10_000));
  slider.max = String(most);
  slider.value = state.k || String(Math.min(state.count, most));
  tell();
}

const tell = () => {
  byId("k-value").textContent = `k = ${slider.value}`;
};

const slid = debounced(() => {
  state.k = slider.value === String(state.count) ? "" : slider.value;
  remember(state);
  byId("region").classList.add("stale");
  fillVisible();
}, 60);

function fit() {
  expression.style.blockSize = "auto";
  expression.style.blockSize = `${Math.min(220, expression.scrollHeight + 2)}px`;
}

function start(plan, at, push) {
  Object.assign(draft, { plan, delta: at });
  state.k = "";
  delta.value = at;
  settle("start", { push });
}

expression.addEventListener("input", () => {
  draft.plan = expression.value;
  fit();
  edited("expression");
});
delta.addEventListener("input", () => {
  draft.delta = delta.value.trim();
  edited("delta");
});
slider.addEventListener("input", () => {
  tell();
  slid();
});
for (const name of ["fpr", "prior"]) {
  const input = byId(name);
  input.value = state[name];
  input.addEventListener("change", () => {
    state[name] = input.value;
    remember(state);
    byId("attacker").classList.add("stale");
    fillVisible();
  });
}
addEventListener("popstate", () => {
  const { plan, delta: at, ...rest } = fromAddress();
  Object.assign(draft, { plan, delta: at });
  Object.assign(state, rest);
  delta.value = at;
  settle("start");
});
byId("detail").addEventListener("click", (event) => {
  if (event.target.closest("[data-close]") || event.target === event.currentTarget) byId("detail").close();
});
byId("answer").addEventListener("click", async (event) => {
  const link = event.target.closest("[data-theorem]");
  if (!link || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const reply = await ask(...theorems.question(state));
  detail(reply.rows.find((row) => row.theorem === link.dataset.theorem) ?? { theorem: link.dataset.theorem, by: reply.best.upper_by }, reply);
});
byId("presets").addEventListener("click", (event) => {
  const link = event.target.closest("a[data-plan]");
  if (!link || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  byId("presets").open = false;
  state.show = link.dataset.show;
  start(link.dataset.plan, link.dataset.delta, true);
  byId(link.dataset.show)?.scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
});

delta.value = state.delta;
expression.value = state.plan;
PANELS.forEach((panel) => {
  byId(panel.name).classList.add("stale");
  watcher.observe(byId(panel.name));
});
settle("start");
