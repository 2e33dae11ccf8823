// Questions to the server that this page came from, and to no other.

export class Problem extends Error {
  constructor(status, body) {
    super(body.detail || body.title || `${status}`);
    this.status = status;
    this.body = body;
    this.parameter = body.parameter ?? null;
  }
}

let secret = null;
export const signed = (csrf) => {
  secret = csrf;
};

async function reply(response) {
  const text = await response.text();
  const json = /json/.test(response.headers.get("content-type") ?? "");
  const body = json && text ? JSON.parse(text) : { detail: text.slice(0, 300) };
  if (!response.ok) throw new Problem(response.status, body);
  return json ? body : text;
}

const BUSY = 503;
const PATIENCE = [300, 900];

// A server that is busy is asked again, twice.
export async function ask(path, body, signal) {
  const headers = { "Content-Type": "application/json", Accept: "application/json" };
  for (const wait of [...PATIENCE, null]) {
    const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal });
    if (response.status !== BUSY || wait === null) return reply(response);
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
  return null;
}

export async function read(path, signal) {
  return reply(await fetch(path, { headers: { Accept: "application/json, text/html, */*" }, signal }));
}

// A name that nobody else uses; browsers give UUIDs to secure addresses only, and a team may have none.
export const fresh = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

// A change: it carries the session's secret, and a key under which it happens once however often it is sent.
export async function change(method, path, body, key = fresh()) {
  const headers = { "Content-Type": "application/json", Accept: "application/json", "Idempotency-Key": key };
  if (secret) headers["X-CSRF-Token"] = secret;
  return reply(await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) }));
}

export const aborted = (error) => error.name === "AbortError";
