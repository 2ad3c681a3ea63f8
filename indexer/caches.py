"""Caches: which files hold what was computed once, and how large they may be."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from indexer.pipeline.cache import Cache

# Of the limit: what is parsed of a file takes a tenth of what its vectors take.
FILES_SHARE = 4


def files_cache() -> Cache:
    """Return what was read, cut and tokenised of the content of files."""
    return Cache(Path(settings.CACHE_DIR) / "files.sqlite")


def vectors_cache(fingerprint: str) -> Cache:
    """Return what an embedder, known by its fingerprint, made of texts."""
    return Cache(Path(settings.CACHE_DIR) / f"vectors-{fingerprint}.sqlite")


def trim_caches() -> None:
    """Bring all caches together to `CODESEARCH_CACHE_MB`.

    Files keep at most a quarter; the embedders share the rest, the one used last first.
    Within one, what was used longest ago goes first.
    """
    left = settings.CACHE_MEGABYTES << 20
    files = files_cache()
    _shrink(files, left // FILES_SHARE)
    left -= files.size()
    for vectors in _vector_caches():
        _shrink(vectors, left)
        left -= vectors.size()


def _shrink(cache: Cache, most_bytes: int) -> None:
    if most_bytes > 0:
        cache.trim(most_bytes)
    else:
        cache.discard()


def _vector_caches() -> list[Cache]:
    """Return the caches of all embedders, the one written last first."""
    paths = Path(settings.CACHE_DIR).glob("vectors-*.sqlite")
    ages = [(-path.stat().st_mtime_ns, path) for path in paths]
    return [Cache(path) for _, path in sorted(ages)]
