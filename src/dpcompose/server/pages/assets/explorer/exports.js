// A plan to take away: documents, code, a command, citations, and this very page as a link.

import { announce, byId, h, saved } from "../shared/dom.js";
import { read } from "../shared/http.js";
import { savePng, saveSvg } from "../shared/picture.js";
import { t } from "../shared/words.js";

const quoted = (text) => `'${text.replaceAll("'", `'"'"'`)}'`;

const FORMS = {
  link: { file: "link.txt", make: () => location.href },
  expression: { file: "plan.txt", make: ({ plan }) => plan.expression },
  json: { file: "plan.json", make: ({ plan }) => JSON.stringify(plan.document, null, 2) },
  toml: { file: "plan.toml", make: ({ plan }) => plan.toml },
  python: { file: "plan.py", make: ({ plan, state }) => `from fractions import Fraction\n\nimport dpcompose as dpc\n\nplan = dpc.spec.loads(${JSON.stringify(plan.expression)})\nprint(dpc.epsilon(plan, delta=Fraction(${JSON.stringify(state.delta)})))\n` },
  command: { file: "plan.sh", make: ({ plan, state }) => `dpcompose compare ${quoted(plan.expression)} --delta ${state.delta}\n` },
  bibtex: { file: "plan.bib", make: ({ theorems }) => (theorems.length ? read(`/bibtex?ids=${theorems.join(",")}`) : "") },
};

export class Exports {
  constructor() {
    this.chosen = "json";
    this.given = null;
    const tabs = byId("export-forms");
    tabs.replaceChildren(
      ...Object.keys(FORMS).map((name) => {
        const button = h("button", { type: "button", role: "tab", id: `export-${name}`, "aria-controls": "export-text", "data-form": name, onclick: () => this.choose(name) }, t(`export.${name}`));
        return button;
      }),
    );
    tabs.addEventListener("keydown", (event) => this.walk(event));
    byId("export-copy").addEventListener("click", () => this.copy());
    byId("export-save").addEventListener("click", () => saved(FORMS[this.chosen].file, "text/plain;charset=utf-8", byId("export-text").textContent));
    for (const button of document.querySelectorAll("[data-picture]")) {
      button.addEventListener("click", () => {
        const svg = byId(button.dataset.of).querySelector("svg.plot");
        if (svg) (button.dataset.picture === "png" ? savePng : saveSvg)(svg, button.dataset.of);
      });
    }
  }

  show(given) {
    this.given = given;
    return this.choose(this.chosen);
  }

  async choose(name) {
    this.chosen = name;
    for (const tab of byId("export-forms").children) {
      const mine = tab.dataset.form === name;
      tab.setAttribute("aria-selected", String(mine));
      tab.tabIndex = mine ? 0 : -1;
    }
    if (this.given) byId("export-text").textContent = await FORMS[name].make(this.given);
    byId("export-text").setAttribute("aria-labelledby", `export-${name}`);
  }

  walk(event) {
    const names = Object.keys(FORMS);
    const forward = (event.key === "ArrowRight") === (document.documentElement.dir !== "rtl");
    if (!["ArrowLeft", "ArrowRight"].includes(event.key)) return;
    const next = names[(names.indexOf(this.chosen) + (forward ? 1 : names.length - 1)) % names.length];
    this.choose(next);
    byId(`export-${next}`).focus();
  }

  async copy() {
    const text = byId("export-text").textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const range = document.createRange();
      range.selectNodeContents(byId("export-text"));
      getSelection().removeAllRanges();
      getSelection().addRange(range);
    }
    announce(t("export.copied"));
    byId("export-copy").textContent = t("export.copied");
    setTimeout(() => (byId("export-copy").textContent = t("export.copy")), 1500);
  }
}
