/* Requests of a page that fail: told in words, and what the page shows stays. */
"use strict";
(() => {
  const STAYS = "What the page shows is as it was.";
  const WORDS = {
    403: "You may not do this. Reload the page if you think you may.",
    404: "What was asked for is not here any more.",
    429: "The server has too much to do. Try again in a moment.",
  };

  const place = () => document.getElementById("failure");
  let failed = ""; /* What the request was for that is told of. */
  const aim = (ctx) => ctx.request.headers["HX-Target"] || "";

  const tell = (ctx, words) => {
    failed = aim(ctx);
    const text = `${words} ${STAYS}`;
    const told = place().querySelector(".notice__text");
    if (told.textContent !== text) told.textContent = text;
    place().hidden = false;
  };
  const close = () => (place().hidden = true);

  /* Pages for a browser, ours or of a proxy, and plain sentences fit in no part of one. */
  const isPage = (text) => /^\s*<(!doctype|html)/i.test(text);

  document.addEventListener("htmx:after:request", (event) => {
    const { ctx } = event.detail;
    const { status, headers } = ctx.response;
    if (status < 400) {
      if (aim(ctx) === failed) close();
      return;
    }
    if (ctx.target === document.body) return; /* A way back, which has the page for itself. */
    const isPlain = (headers.get("Content-Type") || "").startsWith("text/plain");
    if (!isPlain && !isPage(ctx.text)) return;
    event.preventDefault();
    tell(ctx, isPlain ? ctx.text : WORDS[status] || `The server could not answer (${status}).`);
  });

  document.addEventListener("htmx:error", (event) => {
    const { ctx } = event.detail;
    if (!ctx || ctx.text !== undefined) return; /* It has been answered in full. */
    const late = ctx.request.signal.reason === "timeout";
    tell(ctx, late ? "The server took too long to answer." : "The server cannot be reached.");
  });

  document.addEventListener("click", (event) => event.target.closest("#failure button") && close());
})();
