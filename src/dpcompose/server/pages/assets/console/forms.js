// Forms whose refusals stand at the field they name, and dialogs that hold them.

import { byId } from "../shared/dom.js";
import { Problem } from "../shared/http.js";
import { t } from "../shared/words.js";

export const value = (form, name) => form.elements.namedItem(name).value.trim();

export function clear(form) {
  form.querySelectorAll("[aria-invalid]").forEach((input) => input.removeAttribute("aria-invalid"));
  form.querySelectorAll(".error").forEach((place) => (place.textContent = ""));
}

export const sentence = (error) => (error instanceof Problem ? error.message : t("explore.unreachable"));

// Names of parameters come with their place, such as "epsilon (column 10)" or "accounts.0"; what is no field of the
// form is a parameter of the mechanism that was typed into it.
export function refuse(form, error) {
  const name = (error.parameter ?? "").split(/[ .[(]/)[0];
  const input = name ? (form.elements.namedItem(name) ?? form.elements.namedItem("mechanism")) : null;
  const place = input ? byId(`${input.id}-error`) : form.querySelector("[data-error]");
  if (input) {
    input.setAttribute("aria-invalid", "true");
    input.focus();
  }
  if (place) place.textContent = sentence(error);
  else throw error;
}

// Sends a form once, however often it is pressed.
export function submitted(form, send) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("[type=submit]");
    if (button.disabled) return;
    clear(form);
    button.disabled = true;
    try {
      await send(form);
    } catch (error) {
      refuse(form, error);
    } finally {
      button.disabled = false;
    }
  });
}

export function dialogs(opened) {
  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-dialog]");
    if (opener) {
      const dialog = byId(opener.dataset.dialog);
      clear(dialog.querySelector("form"));
      dialog.querySelector("form").reset();
      opened(dialog, opener);
      dialog.showModal();
    }
    const closer = event.target.closest("[data-close]");
    if (closer) closer.closest("dialog").close();
  });
}
