"use strict";
// Light or dark, as chosen before; loaded before anything is painted. Without a choice: as the system has it.
(() => {
  const root = document.documentElement;
  const kept = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const asked = new URLSearchParams(location.search).get("theme");
  const theme = ["light", "dark"].includes(asked) ? asked : kept();
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  root.dataset.script = "on";

  const turn = () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* it is not kept, then */ }
  };
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-press=theme]")) turn();
  });
  document.addEventListener("botequim:theme", turn);
})();
