/* Keys of the trace page: its sections, its phrasings, its target. */
"use strict";
(() => {
  const section = (number) => document.querySelectorAll(".toc a")[number - 1]?.click();

  const stepPhrasing = (by) => {
    const links = [...document.querySelectorAll("#phrasings tbody th a")];
    const traced = document.querySelector("#phrasings .is-target th a");
    const from = links.indexOf(links.includes(document.activeElement) ? document.activeElement : traced);
    links[Math.max(0, Math.min(links.length - 1, from + by))]?.focus();
  };

  const keys = {
    "[": () => stepPhrasing(-1),
    "]": () => stepPhrasing(1),
    s: () => document.getElementById("save-case")?.requestSubmit(),
    e: () => document.querySelector(".verdict [data-open]")?.click(),
  };

  document.addEventListener("codesearch:key", (event) => {
    const { key } = event.detail;
    const action = /^[1-9]$/.test(key) ? () => section(Number(key)) : keys[key];
    if (!action) return;
    event.preventDefault();
    action();
  });
})();
