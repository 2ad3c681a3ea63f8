/* Keys and copy buttons. Only adds to pages that already work. */
"use strict";
(() => {
  const root = document.documentElement;
  const KEYS_OFF = "codesearch-keys-off";
  root.classList.add("js");

  const say = (text) => {
    const place = document.getElementById("said");
    if (place) place.textContent = text;
  };

  /* Copying */

  const copy = async (text, what) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      /* Without HTTPS there is no clipboard API; a selection still copies. */
      const area = document.createElement("textarea");
      area.value = text;
      area.className = "visually-hidden";
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    say(`${what} copied`);
  };

  const codeOf = (hit) =>
    [...hit.querySelectorAll("tr.on .code__src, tr[data-left-out]")]
      .map((cell) => {
        if (cell.matches("tr")) return "…";
        const line = cell.cloneNode(true);
        line.querySelectorAll(".code__cut").forEach((note) => note.remove());
        return line.textContent;
      })
      .join("\n") + "\n";

  const permalinkOf = (place) => {
    const link = (place || document).querySelector("[data-permalink]");
    if (!link) return location.href;
    const url = new URL(link.href);
    if (!url.hash && document.getElementById("code")) url.hash = location.hash;
    return url.href;
  };

  const flash = (button) => {
    if (!button || button.textContent === "Copied") return;
    const words = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = words), 1200);
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy], [data-copy-text]");
    if (!button) return;
    const hit = button.closest("[data-hit]");
    if (button.dataset.copyText) copy(button.dataset.copyText, button.dataset.copyWhat || "Link");
    else if (button.dataset.copy === "code") copy(codeOf(hit), "Code");
    else copy(permalinkOf(hit), "Permalink");
    flash(button);
  });

  /* Sliders say their value; three decimals are what a weight means */

  document.addEventListener("input", (event) => {
    const slider = event.target;
    if (slider.type !== "range") return;
    if (slider.step === "any") slider.value = Math.round(slider.value * 1000) / 1000;
    const output = document.querySelector(`output[for="${CSS.escape(slider.id)}"]`);
    if (output) output.textContent = Number(slider.value).toLocaleString("en");
  });

  /* Keys */

  const keysOff = () => {
    try {
      return localStorage.getItem(KEYS_OFF) === "1";
    } catch {
      return false;
    }
  };

  /* On the root, which no swap and no way back makes anew. */
  const markKeys = () => root.classList.toggle("keys-off", keysOff());
  markKeys();
  addEventListener("storage", markKeys); /* Switched in another tab. */
  document.addEventListener("click", (event) => {
    if (!event.target.closest("#keys-switch")) return;
    try {
      localStorage.setItem(KEYS_OFF, keysOff() ? "0" : "1");
    } catch {
      /* No storage: the keys stay as they are. */
    }
    markKeys();
  });

  const hits = () => [...document.querySelectorAll("[data-hit]")];
  const current = () => document.querySelector(".hit__part--current");

  const step = (by) => {
    const all = hits();
    if (!all.length) return;
    const at = all.indexOf(current());
    const next = all[Math.max(0, Math.min(all.length - 1, at + by))];
    all.forEach((hit) => hit.classList.remove("hit__part--current"));
    next.classList.add("hit__part--current");
    document.activeElement.blur(); /* Or Enter would go where the focus was left. */
    next.scrollIntoView({ block: "nearest" });
    say(next.getAttribute("aria-label"));
  };

  const follow = (selector, tab) => {
    const link = (current() || document).querySelector(selector);
    if (!link) return false;
    if (tab) window.open(link.href, "_blank", "noopener");
    else location.href = link.href;
    return true;
  };

  const showKeys = () => {
    const sheet = document.getElementById("keysheet");
    if (!sheet) return;
    sheet.open = true;
    sheet.scrollIntoView({ block: "center" });
  };

  const actions = {
    "/": () => {
      const field = document.getElementById("q");
      if (!field) return (location.href = "/");
      field.focus();
      field.select();
      return true;
    },
    j: () => step(1),
    k: () => step(-1),
    Enter: () => current() && follow("[data-open]"),
    o: () => follow("[data-open]", true),
    t: () => follow("[data-trace]"),
    y: () => {
      copy(permalinkOf(current()), "Permalink");
      flash((current() || document).querySelector("[data-copy='permalink'], [data-permalink]"));
    },
    c: () => {
      if (!current()) return;
      copy(codeOf(current()), "Code");
      flash(current().querySelector("[data-copy='code']"));
    },
    "?": showKeys,
  };
  const places = { s: "/", t: "/trace/", a: "/audits/", r: "/repositories/", j: "/jobs/" };
  let going = 0;

  document.addEventListener("keydown", (event) => {
    const field = event.target.closest("input, textarea, select, [contenteditable]");
    if (event.key === "Escape" && field) return field.blur();
    if (field || keysOff() || event.ctrlKey || event.metaKey || event.altKey) return undefined;
    if (event.key === "Enter" && event.target.closest("a, button, summary")) return undefined;
    if (Date.now() - going < 1500 && places[event.key]) {
      event.preventDefault();
      return (location.href = places[event.key]);
    }
    going = event.key === "g" ? Date.now() : 0;
    const action = actions[event.key];
    if (!action) {
      /* Scripts of one page have keys of their own; one that is taken is prevented. */
      const pressed = new CustomEvent("codesearch:key", { detail: event, cancelable: true });
      if (!document.dispatchEvent(pressed)) event.preventDefault();
      return undefined;
    }
    if (event.key !== "Enter" || current()) event.preventDefault();
    return action();
  });

  document.addEventListener("click", (event) => {
    if (event.target.closest("a[href='#keys']")) showKeys();
  });

  /* Sharing: the lines that are selected are filled in, and Esc closes the form. */

  document.addEventListener("toggle", (event) => {
    const form = event.target.matches(".share[open]") && event.target.querySelector("form");
    const lines = /^#L(\d+)(?:-L(\d+))?$/.exec(location.hash);
    if (!form || !form.elements.start || !lines) return;
    const [from, to] = [lines[1], lines[2] || lines[1]].map(Number).sort((a, b) => a - b);
    form.elements.start.value = from;
    form.elements.end.value = to;
  }, true);

  document.addEventListener("keydown", (event) => {
    const share = event.key === "Escape" && event.target.closest(".share[open]");
    if (!share) return;
    share.open = false;
    share.querySelector("summary").focus();
  });

  /* While a request runs, the results say that they are about to change. */

  let latest = null; /* Of two requests the older one ends when the newer has begun. */
  const busy = (request) => {
    latest = request;
    const results = document.getElementById("results");
    if (results) results.setAttribute("aria-busy", String(request !== null));
  };
  const isSearch = (event) => event.target instanceof Element && event.target.closest(".querybar");
  document.addEventListener("htmx:before:request", (event) => isSearch(event) && busy(event.detail.ctx));
  document.addEventListener("htmx:finally:request", (event) => event.detail.ctx === latest && busy(null));

  /* A link that made way for more lines gives the focus to them. */

  document.addEventListener("htmx:after:swap", (event) => {
    const code = event.target instanceof Element && event.target.closest(".code");
    if (code && document.activeElement === document.body) code.focus({ preventScroll: true });
  });

  /* A query is one entry of the history: its first key makes it, what is typed on and
     Enter rename it. So Back leads to what was searched before. */

  let typed = false;
  document.addEventListener("htmx:before:history:update", (event) => {
    const { history: change, sourceElement } = event.detail;
    if (!sourceElement.closest(".querybar")) return;
    const same = change.path === location.pathname + location.search;
    change.type = typed || same ? "replace" : "push";
    typed = sourceElement.id === "q";
  });
  document.addEventListener("htmx:before:history:restore", () => (typed = false));

  /* What changes the form around the query is answered by a whole page, and so is a
     text that no address can hold: the browser posts it, and is led to a shorter one. */

  const isLong = (text) =>
    text.length > 2000 || new URLSearchParams([["", text]]).toString().length > 6000;
  document.addEventListener(
    "submit",
    (event) => {
      const bar = event.target.matches(".querybar") && event.target;
      if (!bar) return;
      const whole = event.submitter?.matches("[data-whole]") || isLong(bar.elements.q.value);
      if (whole) event.stopPropagation();
    },
    true,
  );

  /* The log-in leads back to what has been typed since the page was made. */

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-next]");
    if (!link) return;
    const url = new URL(link.href);
    url.searchParams.set("next", location.pathname + location.search + location.hash);
    link.href = url.href;
  });

  /* Enter has asked for the query already, so its last key need not. */

  let entered = null; /* Not "", which is what a field holds that was cleared. */
  document.addEventListener("submit", (event) => {
    if (event.target.matches(".querybar")) entered = event.target.elements.q.value;
  });
  document.addEventListener("htmx:config:request", (event) => {
    if (event.target.id !== "q") return;
    if (isLong(event.target.value)) {
      event.preventDefault();
      event.target.form?.requestSubmit();
    }
    if (event.target.value === entered) event.preventDefault();
    entered = null;
  });
})();
