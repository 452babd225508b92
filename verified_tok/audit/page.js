"use strict";
const byId = (id) => document.getElementById(id);
const findings = [...document.querySelectorAll(".finding")];
const texts = findings.map((finding) => finding.textContent.toLowerCase());
const kinds = [...document.querySelectorAll("button.kind")];
const isOn = (button) => button.getAttribute("aria-pressed") === "true";

function show() {
  const wanted = new Set(kinds.filter(isOn).map((button) => button.dataset.kind));
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  findings.forEach((finding, i) => {
    const fits = wanted.has(finding.dataset.kind) && words.every((word) => texts[i].includes(word));
    finding.hidden = !fits;
    shown += fits;
  });
  byId("none").hidden = shown > 0;
  byId("shown").textContent = findings.length ? `${shown} shown` : "";
}

// A click shows one kind alone, a click on the only one shown brings all back; with Ctrl it is one more or less.
kinds.forEach((button) => button.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey) {
    button.setAttribute("aria-pressed", String(!isOn(button)));
  } else {
    const alone = isOn(button) && kinds.filter(isOn).length === 1;
    kinds.forEach((other) => other.setAttribute("aria-pressed", String(alone || other === button)));
  }
  show();
}));
byId("search").addEventListener("input", show);
byId("ids").addEventListener("change", (event) => document.body.classList.toggle("all-ids", event.target.checked));
byId("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});
for (const id of ["search", "ids-choice", "theme"]) byId(id).hidden = findings.length === 0 && id !== "theme";
show();
if (!findings.length) byId("none").hidden = false;
