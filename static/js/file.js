/* The file page: lines that are selected, the symbol in view, names under the pointer.
   Only adds to a page that works without it. */
"use strict";
(() => {
  const code = document.getElementById("code");
  if (!code) return;
  const total = Number(code.dataset.lines);
  const size = Number(code.dataset.size);
  const reduced = matchMedia("(prefers-reduced-motion: reduce)").matches;

  /* Line selection: #L10 and #L10-L20 */

  const rangeIn = (text) => {
    const found = /^#?L?(\d+)(?:\s*[-–:]\s*L?(\d+))?$/.exec(text.trim());
    if (!found) return null;
    const ends = [Number(found[1]), Number(found[2] || found[1])];
    return [Math.min(...ends), Math.max(...ends)];
  };
  const range = () => (location.hash.startsWith("#L") ? rangeIn(location.hash) : null);
  const hashOf = (first, last) => (first === last ? `#L${first}` : `#L${first}-L${last}`);
  const row = (line) => document.getElementById(`L${line}`);

  /* A line of a long file that is on another page of it. */
  const isElsewhere = (line) => {
    if (row(line) || line < 1 || line > total) return false;
    const first = Math.floor((line - 1) / size) * size + 1;
    location.replace(`${code.dataset.url}?lines=${first}-${first + size - 1}${location.hash}`);
    return true;
  };

  const showRange = (scroll) => {
    document.querySelectorAll("tr.sel").forEach((one) => one.classList.remove("sel"));
    const lines = range();
    const words = document.getElementById("selection");
    words.textContent = "";
    if (!lines || isElsewhere(lines[0])) return;
    for (let n = lines[0]; n <= lines[1] && row(n); n += 1) row(n).classList.add("sel");
    const first = row(lines[0]);
    if (scroll && first) first.scrollIntoView({ block: lines[1] > lines[0] ? "start" : "center" });
    words.textContent = lines[0] === lines[1] ? `Line ${lines[0]} selected` : `Lines ${lines[0]}–${lines[1]} selected`;
    pointLinks(lines[0]);
    rove(firstName(lines[0]));
  };

  const select = (first, last, scroll) => {
    const ends = [Math.max(1, Math.min(first, last)), Math.min(total, Math.max(first, last))];
    history.replaceState(history.state, "", hashOf(...ends));
    showRange(scroll);
  };

  /* Links of other programs say the selected line. */
  const pointLinks = (line) => {
    document.querySelectorAll("a[data-template]").forEach((link) => {
      link.href = link.dataset.template.replaceAll("{line}", line);
    });
  };

  let anchor = null; /* The line that a range is extended from. */

  document.addEventListener("click", (event) => {
    const link = event.target.closest("#code .code__no a");
    if (!link) return;
    event.preventDefault();
    const line = Number(link.textContent);
    if (!event.shiftKey || !range()) anchor = line;
    select(anchor ?? range()[0], line, false);
  });

  code.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const lines = range();
    if (!by || !event.shiftKey || !lines || event.target !== code) return;
    event.preventDefault();
    if (anchor !== lines[0] && anchor !== lines[1]) anchor = lines[0];
    const moved = (lines[0] === anchor ? lines[1] : lines[0]) + by;
    select(anchor, Math.min(total, Math.max(1, moved)), false);
    row(moved)?.scrollIntoView({ block: "nearest" });
  });

  document.getElementById("go")?.addEventListener("submit", (event) => {
    const field = document.getElementById("line");
    const lines = rangeIn(field.value);
    if (!lines) return;
    event.preventDefault();
    field.blur();
    anchor = lines[0];
    select(lines[0], lines[1], true);
    code.focus({ preventScroll: true });
  });

  addEventListener("hashchange", () => {
    anchor = null;
    showRange(true);
  });

  /* The outline marks the symbol at the top of the window. */

  const entries = [...document.querySelectorAll(".outline a")]
    .map((link) => ({ link, row: document.getElementById(link.hash.slice(1).split("-")[0]) }))
    .filter((entry) => entry.row);
  const TOP = 120; /* Below the bar at the top of the page. */
  let marked = null;

  const entryInView = () => {
    let low = 0;
    let high = entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (entries[middle].row.getBoundingClientRect().top <= TOP) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  };

  const markEntry = () => {
    const entry = entries[Math.max(0, entryInView())];
    if (!entry || entry.link === marked) return;
    marked?.removeAttribute("aria-current");
    marked = entry.link;
    marked.setAttribute("aria-current", "location");
    const list = marked.closest("nav");
    if (list.scrollHeight > list.clientHeight) {
      const by = marked.getBoundingClientRect().top - list.getBoundingClientRect().top;
      list.scrollBy({ top: by - list.clientHeight / 2, behavior: reduced ? "auto" : "smooth" });
    }
  };

  const watched = new IntersectionObserver(markEntry, { rootMargin: `-${TOP}px 0px 0px 0px` });
  entries.forEach((entry) => watched.observe(entry.row));

  const stepSymbol = (by) => {
    if (!entries.length) return;
    const lines = range();
    const at = lines ? entries.findIndex((entry) => entry.link.hash === location.hash) : -1;
    const from = at < 0 ? entryInView() : at;
    const entry = entries[Math.max(0, Math.min(entries.length - 1, from + by))];
    location.hash = entry.link.hash;
    document.getElementById("said").textContent = entry.link.title ? `${entry.link.firstChild.textContent}, ${entry.link.title}` : "";
  };

  /* Names: one of them is a stop of Tab, arrows lead to the others. */

  const NAMES = ".code__src a";
  let roving = null;

  const firstName = (line) => row(line)?.querySelector(NAMES) || roving;
  const rove = (link) => {
    if (!link || link === roving) return;
    if (roving) roving.tabIndex = -1;
    roving = link;
    roving.tabIndex = 0;
  };
  const names = () => [...code.querySelectorAll(NAMES)];

  const stepName = (by) => {
    const all = names();
    const next = all[all.indexOf(roving) + by];
    if (!next) return;
    rove(next);
    next.focus();
  };

  names().forEach((link) => (link.tabIndex = -1));
  rove(names()[0]);
  code.addEventListener("focusin", (event) => event.target.matches(NAMES) && rove(event.target));
  code.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by || !event.target.matches(NAMES)) return;
    event.preventDefault();
    stepName(by);
  });

  /* What a name means, beside it: WCAG 1.4.13 dismissable, hoverable, persistent. */

  const card = document.getElementById("name-card");
  const WAIT = 300;
  let timer = 0;
  let turn = 0; /* Of two that are asked for only the last is shown. */
  let shown = null;
  let dismissed = null; /* Stays so until the pointer or the focus has left it. */

  const place = (link) => {
    const at = link.getBoundingClientRect();
    const room = document.documentElement.clientWidth - card.offsetWidth - 8;
    const below = at.bottom + card.offsetHeight + 8 < innerHeight;
    card.style.left = `${Math.max(8, Math.min(at.left, room)) + scrollX}px`;
    card.style.top = `${(below ? at.bottom + 2 : at.top - card.offsetHeight - 2) + scrollY}px`;
  };

  const hide = () => {
    clearTimeout(timer);
    turn += 1;
    shown?.removeAttribute("aria-describedby");
    shown = null;
    if (card) card.hidden = true;
  };

  const show = async (link) => {
    hide();
    card.replaceChildren();
    const mine = turn;
    const url = new URL(code.dataset.names, location.href);
    url.searchParams.set("name", link.textContent);
    url.searchParams.set("path", code.dataset.path);
    url.searchParams.set("language", code.dataset.language);
    await htmx.ajax("GET", url.pathname + url.search, { source: card, target: card, swap: "innerHTML" });
    if (mine !== turn || !card.firstElementChild || !link.matches(":hover, :focus")) return;
    shown = link;
    link.setAttribute("aria-describedby", card.id);
    card.hidden = false;
    place(link);
  };

  const wait = (link) => {
    clearTimeout(timer);
    if (link !== shown && link !== dismissed) timer = setTimeout(() => show(link), WAIT);
  };
  const leave = (event) => {
    if (event.target === dismissed) dismissed = null;
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (!card.matches(":hover, :focus-within") && !shown?.matches(":hover, :focus")) hide();
    }, WAIT);
  };

  if (card) {
    for (const kind of ["pointerover", "focusin"]) {
      code.addEventListener(kind, (event) => {
        const link = event.target.closest(NAMES);
        if (link && event.pointerType !== "touch") wait(link);
      });
    }
    for (const kind of ["pointerout", "focusout"]) {
      code.addEventListener(kind, leave);
      card.addEventListener(kind, leave);
    }
    /* By touch the first tap shows what a name means, the second follows it. */
    code.addEventListener("click", (event) => {
      const link = event.target.closest(NAMES);
      if (!link || event.pointerType !== "touch" || link === shown) return;
      event.preventDefault();
      link.focus();
      clearTimeout(timer);
      show(link);
    });
    addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      dismissed = shown;
      hide();
    });
    addEventListener("click", (event) => !event.target.closest(`#name-card, ${NAMES}`) && hide());
  }

  /* Keys of this page */

  const keys = {
    l: () => document.getElementById("line")?.focus(),
    b: () => {
      const other = document.querySelector("[data-boundaries]:not([aria-current])");
      if (other) location.href = other.href + location.hash;
    },
    "[": () => stepSymbol(-1),
    "]": () => stepSymbol(1),
    d: () => {
      const lines = range();
      rove((lines && firstName(lines[0])) || roving);
      roving?.focus();
    },
  };
  document.addEventListener("codesearch:key", (event) => {
    const action = keys[event.detail.key];
    if (!action) return;
    event.preventDefault();
    action();
  });

  showRange(true);
  markEntry();
})();
