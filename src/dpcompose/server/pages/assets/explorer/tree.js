// A plan as the form edits it: a list of mechanisms, each with its fields as text, and mechanisms inside mechanisms.

import { page } from "../shared/words.js";

export const kinds = page.kinds;
const WRAPPERS = Object.keys(kinds).filter((key) => kinds[key].fields.some((field) => field.form === "mechanism"));
export const wrapper = (kind) => WRAPPERS.includes(kind);
export const OFFERED = Object.keys(kinds).filter((key) => key !== "composition" && !wrapper(key));
export const AROUND = WRAPPERS;

// A mechanism to begin with: what must be given is given, at the geometric middle of what is typical.
export function fresh(kind) {
  const values = {};
  for (const field of kinds[kind].fields) {
    if (field.form === "number" && (field.required || (kind === "black_box" && field.key === "epsilon"))) values[field.key] = middle(field);
    if (field.form === "numbers") values[field.key] = field.key === "sensitivities" ? "0, 1" : "0.5, 0.5";
  }
  return { kind, values, inner: {}, count: "1" };
}

function middle(field) {
  const [low, high] = field.typical.map(Number);
  const value = Math.sqrt(Math.max(low, high * 1e-4) * high);
  return String(field.whole ? Math.max(1, Math.round(value)) : Number(value.toPrecision(1)));
}

export function wrapped(node, kind) {
  const around = fresh(kind);
  around.count = node.count;
  return { ...around, inner: { mechanism: { ...node, count: "1" } } };
}

export const unwrapped = (node) => ({ ...node.inner.mechanism, count: node.count });

// From the library's document to the tree; what is as by default stays unsaid.
export function fromDocument(document) {
  if (document.kind === "composition") {
    const { adaptivity, filter } = document;
    return { items: (document.items ?? []).map(nodeOf), values: { adaptivity: adaptivity ?? "adaptive", filter: filter ?? "" } };
  }
  return { items: [nodeOf(document)], values: { adaptivity: "adaptive", filter: "" } };
}

function nodeOf(document) {
  const node = { kind: document.kind, values: {}, inner: {}, count: String(document.count ?? 1) };
  for (const field of kinds[document.kind].fields) {
    const value = document[field.key];
    if (value === undefined || value === null) continue;
    if (field.form === "mechanism") node.inner[field.key] = nodeOf(value);
    else if (field.form === "mechanisms") node.inner[field.key] = value.map(nodeOf);
    else if (field.form === "numbers") node.values[field.key] = value.join(", ");
    else if (field.form === "table") node.values[field.key] = Object.entries(value).map((pair) => pair.join(": ")).join(", ");
    else if (String(value) !== String(field.default)) node.values[field.key] = String(value);
  }
  return node;
}

// From the tree to a document; numbers stay the text that was typed, so that the library reads it, and refuses it.
export function toDocument(plan) {
  const { adaptivity, filter } = plan.values;
  const document = { schema: "dpc.mechanism/1", kind: "composition", items: plan.items.map(documentOf) };
  if (adaptivity && adaptivity !== "adaptive") document.adaptivity = adaptivity;
  if (filter && adaptivity === "fully_adaptive") document.filter = filter;
  return document;
}

function documentOf(node) {
  const document = { kind: node.kind };
  for (const field of kinds[node.kind].fields) {
    const said = (node.values[field.key] ?? "").trim();
    if (field.form === "mechanism") document[field.key] = documentOf(node.inner[field.key]);
    else if (field.form === "mechanisms") document[field.key] = (node.inner[field.key] ?? []).map(documentOf);
    else if (said === "") continue;
    else if (field.form === "numbers") document[field.key] = said.split(",").map((text) => text.trim());
    else if (field.form === "table") document[field.key] = Object.fromEntries(said.split(",").map((pair) => pair.split(":").map((text) => text.trim())));
    else document[field.key] = said;
  }
  if (node.count.trim() !== "1") document.count = node.count.trim();
  return document;
}

// Every number of a plan with its path in the document, such as items[0].mechanism.noise_std.
export function numbers(plan) {
  const found = [];
  const walk = (node, path) => {
    found.push({ node, key: "count", path: `${path}.count` });
    for (const field of kinds[node.kind].fields) {
      if (field.form === "number" && (field.required || node.values[field.key] !== undefined)) found.push({ node, key: field.key, path: `${path}.${field.key}` });
      if (field.form === "mechanism") walk(node.inner[field.key], `${path}.${field.key}`);
      if (field.form === "mechanisms") node.inner[field.key].forEach((inner, i) => walk(inner, `${path}.${field.key}[${i}]`));
    }
  };
  plan.items.forEach((node, i) => walk(node, `items[${i}]`));
  return found;
}
