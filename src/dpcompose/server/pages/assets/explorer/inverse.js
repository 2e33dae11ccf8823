// The other way round: the number that keeps a promise, and the noise that suits so many queries.

import { byId, debounced, h, ltr } from "../shared/dom.js";
import { Problem, aborted, ask } from "../shared/http.js";
import { about, t, titled, up } from "../shared/words.js";
import { numbers, toDocument } from "./tree.js";

const WAIT = 250;

// One form whose fields are texts: asks when they change, and shows a refusal at the field it names.
class Asking {
  constructor(form, make, draw) {
    Object.assign(this, { form, make, draw, running: null });
    form.addEventListener("input", debounced(() => this.ask(), WAIT));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.ask();
    });
  }

  async ask() {
    this.running?.abort();
    this.running = new AbortController();
    const place = this.form.querySelector("[data-result]");
    this.form.querySelectorAll("[aria-invalid]").forEach((input) => input.removeAttribute("aria-invalid"));
    const made = this.make();
    if (!made) return;
    place.classList.add("stale");
    try {
      const reply = await ask(...made, this.running.signal);
      place.replaceChildren(...[this.draw(reply)].flat().filter(Boolean));
    } catch (error) {
      if (aborted(error)) return;
      this.form.querySelector(`[name="${error.parameter}"]`)?.setAttribute("aria-invalid", "true");
      place.replaceChildren(h("p", { class: "error", dir: "auto", role: "alert" }, !(error instanceof Problem) ? t("explore.unreachable") : error.body.type?.endsWith(":too-expensive") ? t("explore.expensive") : error.message));
    }
    place.classList.remove("stale");
  }
}

export function calibration(composer, apply) {
  const form = byId("calibrate-form");
  const choice = form.elements.namedItem("parameter");
  const make = () => {
    const target = numbers(composer.plan).find(({ path }) => path === choice.value);
    if (!target) return null;
    return ["/v1/calibrate", { mechanism: unknown(toDocument(composer.plan), target.path), epsilon: form.elements.namedItem("epsilon").value, delta: form.elements.namedItem("delta").value }];
  };
  // The document with a question mark at the path, whatever stands there.
  const unknown = (document, path) => {
    const steps = path.replace(/\[(\d+)\]/g, ".$1").split(".");
    const last = steps.pop();
    steps.reduce((inner, step) => inner[step], document)[last] = "?";
    return JSON.stringify(document);
  };
  const asking = new Asking(form, make, (reply) => [
    h("p", { class: "found" }, t("calibrate.found"), " ", ltr(`${choice.selectedOptions[0].dataset.symbol} = ${reply.value}`, "strong")),
    h("p", { class: "quiet", dir: "ltr" }, h("code", {}, reply.mechanism_found)),
    h("button", { type: "button", onclick: () => apply(reply.mechanism_found) }, t("calibrate.apply")),
  ]);
  return {
    name: "calibrate",
    refresh(state) {
      const kept = choice.value;
      const found = numbers(composer.plan);
      choice.replaceChildren(...found.map(({ node, key, path }) => h("option", { value: path, "data-symbol": key, selected: path === kept }, `${titled("kind", node.kind)}: ${key === "count" ? t("compose.count") : titled("field", key)}`)));
      const usual = found.find(({ key }) => ["noise_std", "scale"].includes(key)) ?? found.find(({ key }) => key !== "count") ?? found[0];
      if (!found.some(({ path }) => path === kept) && usual) choice.value = usual.path;
      const delta = form.elements.namedItem("delta");
      if (!delta.dataset.touched) delta.value = state.delta;
      return asking.ask();
    },
  };
}

const NOISES = { "discrete Gaussian": "DiscreteGaussian", Gaussian: "Gaussian", Laplace: "Laplace", staircase: "Staircase", geometric: "Geometric" };

export function advice(apply) {
  const form = byId("advise-form");
  const field = (name) => form.elements.namedItem(name).value;
  const make = () => ["/v1/advise", { queries: field("queries"), epsilon: field("epsilon"), delta: field("delta"), sensitivity: field("sensitivity") }];
  const asking = new Asking(form, make, (reply) => {
    const widest = Math.max(...reply.options.map((one) => one.deviation));
    const row = (one) => {
      const bar = h("span", { class: "bar-fill" });
      bar.style.inlineSize = `${(one.deviation / widest) * 100}%`;
      const [[name, value]] = Object.entries(one.parameter);
      const expression = `${field("queries")} * ${NOISES[one.noise]}(${name}=${value}${field("sensitivity") === "1" ? "" : `, sensitivity=${field("sensitivity")}`})`;
      return h(
        "tr",
        { class: one.noise === reply.best ? "tightest" : "" },
        h("th", { scope: "row" }, titled("noise", one.noise.replace(" ", "_"))),
        h("td", { dir: "ltr" }, `${name} = ${up(value)}`),
        h("td", { dir: "ltr" }, `± ${about(one.within_19_of_20, 4)}`, h("div", { class: "bar-track", "aria-hidden": "true" }, bar)),
        h("td", {}, NOISES[one.noise] && h("button", { type: "button", class: "small", onclick: () => apply(expression, field("delta")) }, t("advise.apply"))),
      );
    };
    const head = ["noise", "parameter", "error", "use"].map((key) => h("th", { scope: "col" }, t(`advise.${key}`)));
    return h("div", { class: "scroll", tabindex: 0 }, h("table", { class: "advice" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, reply.options.map(row))));
  });
  return { name: "advise", refresh: () => asking.ask() };
}
