// The page's words, in the language it was sent in, and numbers that never promise too much.

const data = JSON.parse(document.getElementById("page-data").textContent);
export const page = data;

// What is put into a sentence that reads from right to left stands apart in it, so that a date keeps its order.
const apart = document.documentElement.dir === "rtl" ? (value) => `\u2068${value}\u2069` : String;

export function t(key, values = {}) {
  const text = data.messages[key];
  if (text === undefined) throw new Error(`no message ${key}`);
  return text.replace(/\{(\w+)\}/g, (_, name) => apart(values[name] ?? ""));
}

export const known = (key) => data.messages[key] !== undefined;
export const titled = (stem, name) => (known(`${stem}.${name}`) ? t(`${stem}.${name}`) : name.replaceAll("_", " "));

// A number as people write it, such as 1/3: only to draw with, since the library reads the text itself.
export function number(text) {
  const parts = String(text).split("/").map(Number);
  return parts.length === 2 ? parts[0] / parts[1] : parts[0];
}

const DIGITS = 6;

// JSON has no infinity: the library writes "inf".
export const numeral = (value) => (value === "inf" ? Infinity : value === "-inf" ? -Infinity : Number(value));

// Six digits of a number, rounded up or down for certain: all its digits are looked at.
function rounded(value, upwards) {
  const number = numeral(value);
  if (!Number.isFinite(number)) return number > 0 ? "∞" : number < 0 ? "−∞" : "–";
  if (number === 0) return "0";
  const [mantissa, power] = Math.abs(number).toExponential(100).split("e");
  const digits = mantissa.replace(".", "");
  const away = upwards === number > 0 && /[1-9]/.test(digits.slice(DIGITS));
  const kept = BigInt(digits.slice(0, DIGITS)) + (away ? 1n : 0n);
  return written(number < 0 ? -kept : kept, Number(power) - (DIGITS - 1));
}

// kept · 10^power, with an exponent only where it is shorter to read.
function written(kept, power) {
  const sign = kept < 0n ? "−" : "";
  let digits = (kept < 0n ? -kept : kept).toString();
  while (digits.length > 1 && digits.endsWith("0")) [digits, power] = [digits.slice(0, -1), power + 1];
  const leading = digits.length + power - 1;
  if (leading < -5 || leading > 8) {
    return `${sign}${digits[0]}${digits.length > 1 ? `.${digits.slice(1)}` : ""}e${leading}`;
  }
  if (power >= 0) return sign + digits + "0".repeat(power);
  if (leading >= 0) return `${sign}${digits.slice(0, leading + 1)}.${digits.slice(leading + 1)}`;
  return `${sign}0.${"0".repeat(-leading - 1)}${digits}`;
}

export const up = (value) => rounded(value, true);
export const down = (value) => rounded(value, false);

// A number that promises nothing: a tick of an axis, a place under the pointer.
export function about(value, digits = 3) {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) {
    const [mantissa, power] = value.toExponential(digits - 1).split("e");
    return `${Number(mantissa)}e${Number(power)}`;
  }
  return String(Number(value.toPrecision(digits)));
}

const grouping = new Intl.NumberFormat("en-US");
export const whole = (value) => grouping.format(value);

// Whole people of a thousand: never fewer than the bound says.
export const ofThousand = (rate) => Math.min(1000, Math.ceil(numeral(rate) * 1000));
