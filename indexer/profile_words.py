"""What the model of a profile is, and what was changed of it, in a few words."""

from __future__ import annotations

from indexer.models import Profile


def model_words(profile: Profile) -> str:
    """Return the model of a profile, with its revision."""
    found = profile.embedder
    return f"{found.model}@{found.revision}" if found.revision else found.model


def changed_words(profile: Profile) -> list[str]:
    """Return what of the model's own was changed, a few words each."""
    found = profile.embedder
    words = [
        f"queries after {found.query_prefix!r}" if found.query_prefix else "",
        f"texts after {found.passage_prefix!r}" if found.passage_prefix else "",
        f"{found.max_tokens:,} tokens" if found.max_tokens else "",
        f"{found.dimension:,} numbers" if found.dimension else "",
        f"{found.pooling} pooling" if found.pooling else "",
    ]
    return [text for text in words if text]
