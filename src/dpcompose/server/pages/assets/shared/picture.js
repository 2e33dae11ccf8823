// A chart as a file: SVG with its styles written out, or PNG painted from that.

import { saved, s } from "./dom.js";

const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity", "fill-opacity", "font-family", "font-size", "font-weight", "font-style"];

// A copy that looks the same without this page's style sheet.
export function standalone(svg) {
  const copy = svg.cloneNode(true);
  const originals = [svg, ...svg.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((element, i) => {
    const style = getComputedStyle(originals[i]);
    for (const name of STYLES) element.setAttribute(name, style.getPropertyValue(name));
    element.removeAttribute("class");
    element.removeAttribute("tabindex");
  });
  const { width, height } = svg.viewBox.baseVal;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.prepend(s("rect", { width, height, fill: getComputedStyle(svg.closest(".card") ?? document.body).backgroundColor }));
  return { text: new XMLSerializer().serializeToString(copy), width, height };
}

export function saveSvg(svg, name) {
  saved(`${name}.svg`, "image/svg+xml", standalone(svg).text);
}

export async function savePng(svg, name, scale = 2) {
  const { text, width, height } = standalone(svg);
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  const image = new Image(width, height);
  try {
    await new Promise((resolve, reject) => {
      image.onload = resolve;
      image.onerror = reject;
      image.src = url;
    });
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [width * scale, height * scale];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    saved(`${name}.png`, "image/png", await new Promise((resolve) => canvas.toBlob(resolve, "image/png")));
  } finally {
    URL.revokeObjectURL(url);
  }
}
