/* Completions of a query, by keyboard and pointer. The field works without them. */
"use strict";
(() => {
  const DELAY = 150; /* Behind the search, which asks first. */
  let timer = 0;
  let request = null;
  let active = -1;

  const isField = (element) => element instanceof Element && element.matches("input[data-complete]");
  const list = () => document.getElementById("completions");
  const options = () => [...list().querySelectorAll("[role=option]")];

  const mark = (field, number) => {
    active = number;
    options().forEach((option, n) => option.setAttribute("aria-selected", String(n === active)));
    const chosen = options()[active];
    if (chosen) {
      field.setAttribute("aria-activedescendant", chosen.id);
      chosen.scrollIntoView({ block: "nearest" });
    } else field.removeAttribute("aria-activedescendant");
  };

  const close = (field) => {
    clearTimeout(timer);
    if (request) request.abort();
    list().hidden = true;
    field.setAttribute("aria-expanded", "false");
    mark(field, -1);
  };

  const ask = async (field) => {
    request = new AbortController();
    const asked = new URLSearchParams(new FormData(field.form));
    /* Places are counted in characters, of which JavaScript makes two of some. */
    asked.set("at", [...field.value.slice(0, field.selectionStart)].length);
    if (String(asked).length > 7000) return; /* No address holds more. */
    try {
      const answer = await fetch(`${field.dataset.complete}?${asked}`, { signal: request.signal });
      if (!answer.ok || answer.redirected) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (document.activeElement !== field) return;
      list().replaceWith(document.adoptNode(page.getElementById("completions")));
      field.setAttribute("aria-expanded", String(!list().hidden));
      mark(field, -1);
    } catch (error) {
      if (error.name !== "AbortError") close(field);
    }
  };

  const take = (field, option) => {
    const letters = [...field.value];
    const text = option.dataset.text;
    const before = letters.slice(0, Number(option.dataset.start)).join("") + text;
    const after = letters.slice(Number(option.dataset.end)).join("");
    const gap = /[:/]$/.test(text) || after.startsWith(" ") ? "" : " ";
    field.value = before + gap + after;
    field.setSelectionRange(before.length + gap.length, before.length + gap.length);
    close(field);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };

  document.addEventListener("input", (event) => {
    if (!isField(event.target)) return;
    close(event.target);
    timer = setTimeout(() => ask(event.target), DELAY);
  });
  document.addEventListener("focusout", (event) => isField(event.target) && close(event.target));
  document.addEventListener("submit", (event) => {
    const field = event.target.querySelector("input[data-complete]");
    if (field) close(field);
  });
  document.addEventListener("pointerdown", (event) => {
    const option = event.target.closest("#completions [role=option]");
    if (!option) return;
    event.preventDefault(); /* Or the field loses the focus, and the list is gone. */
    take(option.closest("form").querySelector("input[data-complete]"), option);
  });
  /* Before the keys of the page. */
  document.addEventListener(
    "keydown",
    (event) => {
      const field = event.target;
      if (!isField(field) || list().hidden || event.isComposing) return;
      const last = options().length - 1;
      if (event.key === "ArrowDown") mark(field, active < last ? active + 1 : -1);
      else if (event.key === "ArrowUp") mark(field, active < 0 ? last : active - 1);
      else if (event.key === "Escape") close(field);
      else if ((event.key === "Enter" || event.key === "Tab") && active >= 0) take(field, options()[active]);
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
    true,
  );
})();
