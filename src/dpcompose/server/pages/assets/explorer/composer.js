// The form: generated from what the library declares of its mechanisms. It edits the tree and tells of every change.

import { freshId, h, ltr } from "../shared/dom.js";
import { known, page, t, titled } from "../shared/words.js";
import { AROUND, OFFERED, fresh, kinds, unwrapped, wrapped, wrapper } from "./tree.js";

// The library's own description, with names of parameters set apart, unless the language has one.
function described(kind) {
  const text = known(`about.${kind}`) ? t(`about.${kind}`) : kinds[kind].about;
  return text.split("`").map((piece, i) => (i % 2 ? h("code", {}, piece) : piece));
}

export class Composer {
  constructor(host, changed) {
    this.host = host;
    this.changed = changed;
    this.plan = { items: [], values: { adaptivity: "adaptive", filter: "" } };
    this.places = new Map();
  }

  // Shows a plan; whoever is typing keeps the place.
  show(plan) {
    this.plan = plan;
    this.draw();
  }

  draw() {
    const kept = this.host.contains(document.activeElement) ? document.activeElement.dataset.path : null;
    this.places = new Map();
    this.host.replaceChildren(
      h("ol", { class: "items" }, this.plan.items.map((node, i) => h("li", { class: "item" }, this.editor(node, `items[${i}]`, i)))),
      this.adder(),
      this.terms(),
    );
    if (kept) this.places.get(kept)?.input.focus();
  }

  // Puts a refusal where it belongs; false if no field is meant.
  refuse(path, sentence) {
    this.clear();
    const place = this.places.get(path) ?? this.places.get(path?.replace(/\[\d+\]$/, ""));
    if (!place) return false;
    place.error.textContent = sentence;
    place.input.setAttribute("aria-invalid", "true");
    return true;
  }

  clear() {
    for (const { input, error } of this.places.values()) {
      input.removeAttribute("aria-invalid");
      error.textContent = "";
    }
  }

  replace(i, node) {
    this.plan.items[i] = node;
    this.draw();
    this.changed();
  }

  move(i, step) {
    const [node] = this.plan.items.splice(i, 1);
    this.plan.items.splice(i + step, 0, node);
    this.draw();
    this.changed();
    this.host.querySelector(`[data-path="items[${i + step}].kind"]`)?.focus();
  }

  remove(i) {
    this.plan.items.splice(i, 1);
    this.draw();
    this.changed();
    this.host.querySelector("select, button")?.focus();
  }

  editor(node, path, i) {
    const top = i !== null;
    const head = h(
      "div",
      { class: "item-head" },
      top && this.field({ key: "count", form: "number", ...page.count, required: true, default: 1 }, node, path, "count"),
      top && h("span", { class: "times", "aria-hidden": "true" }, "×"),
      this.kindOf(node, path, i),
    );
    const fields = kinds[node.kind].fields.filter((field) => !["mechanism", "mechanisms"].includes(field.form));
    const [first, more] = [fields.filter((f) => this.prominent(node, f)), fields.filter((f) => !this.prominent(node, f))];
    return [
      head,
      h("p", { class: "about", dir: "auto" }, described(node.kind)),
      h("div", { class: "fields" }, first.map((field) => this.field(field, node, path))),
      more.length > 0 && h("details", { class: "more", open: more.some((f) => node.values[f.key]) }, h("summary", {}, t("compose.more")), h("div", { class: "fields" }, more.map((field) => this.field(field, node, path)))),
      this.inside(node, path),
      top && this.tools(node, i),
    ];
  }

  prominent(node, field) {
    return field.required || field.key === "sensitivity" || (node.kind === "black_box" && ["epsilon", "delta"].includes(field.key));
  }

  inside(node, path) {
    return kinds[node.kind].fields.map((field) => {
      if (field.form === "mechanism") return h("div", { class: "inner" }, this.editor(node.inner[field.key], `${path}.${field.key}`, null));
      if (field.form !== "mechanisms") return null;
      return node.inner[field.key].map((inner, i) => h("div", { class: "inner" }, this.editor(inner, `${path}.${field.key}[${i}]`, null)));
    });
  }

  kindOf(node, path, i) {
    const options = wrapper(node.kind) ? AROUND : node.kind === "composition" ? ["composition"] : OFFERED;
    const select = h("select", { class: "kind", "data-path": `${path}.kind`, "aria-label": t("compose.kind") }, options.map((kind) => h("option", { value: kind, selected: kind === node.kind }, titled("kind", kind))));
    select.addEventListener("change", () => {
      const next = wrapper(node.kind) ? wrapped(unwrapped(node), select.value) : fresh(select.value);
      Object.assign(node, { ...next, count: node.count });
      this.draw();
      this.changed();
    });
    const error = h("p", { class: "error", id: freshId("error") });
    this.places.set(`${path}.kind`, { input: select, error });
    this.places.set(path, { input: select, error });
    if (i === null && !wrapper(node.kind)) select.classList.add("quiet");
    return h("div", { class: "field kind-field" }, select, error);
  }

  tools(node, i) {
    const tool = (name, glyph, act, disabled = false) => h("button", { type: "button", class: "tool", title: t(`compose.${name}`), "aria-label": t(`compose.${name}`), disabled, onclick: act }, h("span", { "aria-hidden": "true" }, glyph));
    const last = this.plan.items.length - 1;
    const sampled = wrapper(node.kind);
    const around = (name, act) => h("button", { type: "button", class: "link", onclick: act }, t(`compose.${name}`));
    return h(
      "div",
      { class: "tools" },
      sampled ? around("unwrap", () => this.replace(i, unwrapped(node))) : around("sample", () => this.replace(i, wrapped(node, "sampled"))),
      h("span", { class: "gap" }),
      tool("up", "↑", () => this.move(i, -1), i === 0),
      tool("down", "↓", () => this.move(i, 1), i === last),
      tool("remove", "✕", () => this.remove(i)),
    );
  }

  // One input, labelled by the symbol and the name that the library gives it.
  field(field, node, path, only) {
    const id = freshId("field");
    const full = `${path}.${field.key}`;
    const error = h("p", { class: "error", id: `${id}-error`, dir: "auto" });
    const input = field.form === "choice" ? this.choice(field, node, id) : this.text(field, node, id, only);
    input.dataset.path = full;
    input.setAttribute("aria-describedby", error.id);
    this.places.set(full, { input, error });
    const name = titled("field", field.key);
    const label = only ? h("label", { for: id, class: "unseen" }, t("compose.count")) : h("label", { for: id }, name, field.symbol && [" ", ltr(field.symbol, "i")]);
    return h("div", { class: `field field-${field.form} field-${field.key}` }, label, input, error);
  }

  text(field, node, id, only) {
    const input = h("input", {
      id, type: "text", inputmode: field.form === "number" ? "decimal" : "text", dir: "ltr", autocomplete: "off", spellcheck: "false",
      value: (only ? node.count : node.values[field.key]) ?? "", placeholder: field.required ? "" : String(field.default ?? t("compose.none")), title: field.allowed ?? "",
    });
    input.addEventListener("input", () => {
      if (only) node.count = input.value || "1";
      else node.values[field.key] = input.value;
      this.changed();
    });
    return input;
  }

  choice(field, node, id) {
    const select = h("select", { id }, field.options.map((option) => h("option", { value: option, selected: (node.values[field.key] ?? field.default) === option }, titled("option", option))));
    if (field.default === null) select.prepend(h("option", { value: "", selected: !node.values[field.key] }, t("compose.none")));
    select.addEventListener("change", () => {
      node.values[field.key] = select.value;
      this.changed();
    });
    return select;
  }

  adder() {
    const choice = h("select", { id: "add-kind", "aria-label": t("compose.which") }, OFFERED.map((kind) => h("option", { value: kind, selected: kind === "gaussian" }, titled("kind", kind))));
    const add = () => {
      this.plan.items.push(fresh(choice.value));
      this.draw();
      this.changed();
      this.host.querySelector(`[data-path="items[${this.plan.items.length - 1}].count"]`)?.focus();
    };
    return h("div", { class: "adder" }, choice, h("button", { type: "button", id: "add", onclick: add }, t("compose.add")));
  }

  // What may depend on earlier answers; a filter only where everything may.
  terms() {
    const fields = Object.fromEntries(kinds.composition.fields.map((field) => [field.key, field]));
    const filtered = this.plan.values.adaptivity === "fully_adaptive";
    const shown = [fields.adaptivity, ...(filtered ? [fields.filter] : [])];
    const made = shown.map((field) => this.field({ ...field, default: field.key === "adaptivity" ? "adaptive" : null }, this.plan, "plan"));
    made[0].querySelector("select").addEventListener("change", () => this.draw());
    return h("div", { class: "terms fields" }, made);
  }
}
