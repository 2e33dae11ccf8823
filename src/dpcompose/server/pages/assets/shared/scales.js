// From numbers to places on the screen, and the round numbers between them.

import { about } from "./words.js";

export function linear(domain, range) {
  const [low, high] = domain;
  const span = high - low || 1;
  const place = (value) => range[0] + ((value - low) / span) * (range[1] - range[0]);
  place.inverse = (at) => low + ((at - range[0]) / (range[1] - range[0])) * span;
  place.ticks = (count) => rounds(low, high, count);
  place.label = (value) => about(value, 4);
  return place;
}

export function logarithmic(domain, range) {
  const [low, high] = domain.map(Math.log10);
  const inner = linear([low, high], range);
  const place = (value) => inner(Math.log10(value));
  place.inverse = (at) => 10 ** inner.inverse(at);
  place.ticks = (count) => powers(low, high, count);
  place.label = power;
  return place;
}

// Steps of 1, 2 or 5 times a power of ten.
function rounds(low, high, count) {
  const rough = (high - low) / Math.max(count, 1);
  if (!(rough > 0)) return [low];
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * unit).find((size) => size >= rough * 0.999);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) found.push(i * step);
  return found;
}

function powers(low, high, count) {
  if (high - low < 1) {
    return rounds(10 ** low, 10 ** high, count).filter((value) => value > 0);
  }
  const every = Math.max(1, Math.ceil((high - low) / Math.max(count, 1)));
  const found = [];
  for (let p = Math.ceil(low - 1e-9); p <= high + 1e-9; p++) if (p % every === 0) found.push(10 ** p);
  return found.length > 1 ? found : [10 ** low, 10 ** high];
}

const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

function power(value) {
  const exponent = Math.log10(value);
  const near = Math.round(exponent);
  if (Math.abs(exponent - near) > 1e-9) return about(value, 3);
  if (near >= -2 && near <= 4) return about(value, 3);
  return `10${[...String(near)].map((digit) => RAISED[digit]).join("")}`;
}
