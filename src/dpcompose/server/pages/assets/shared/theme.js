// Light or dark, as the system says or as was chosen here; set before anything is drawn.
(() => {
  const root = document.documentElement;
  const remembered = () => {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null;
    }
  };
  const apply = (theme) => (theme ? root.setAttribute("data-theme", theme) : root.removeAttribute("data-theme"));
  apply(remembered());
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const dark = () =>
      (root.getAttribute("data-theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
    const tell = () => button.setAttribute("aria-pressed", String(dark()));
    button.addEventListener("click", () => {
      const next = dark() ? "light" : "dark";
      try {
        localStorage.setItem("theme", next);
      } catch {
        // a browser that remembers nothing still changes its colours
      }
      apply(next);
      tell();
      document.dispatchEvent(new Event("themechange"));
    });
    tell();
  });
})();
