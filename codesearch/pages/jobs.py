"""Jobs: how the states of audits and experiments look."""

from __future__ import annotations

# Status: (state, glyph).
STATES = {
    "queued": ("busy", "busy"),
    "running": ("busy", "busy"),
    "done": ("ok", "ok"),
    "failed": ("bad", "bad"),
    "cancelled": ("warn", "warn"),
}
