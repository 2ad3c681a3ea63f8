"""The models of this process: loaded once, when first asked for, after any fork."""

from __future__ import annotations

import logging
import threading
from functools import lru_cache

from django.conf import settings

from indexer.pipeline.encoder import (
    CrossEncoderScorer,
    Encoder,
    ModelError,
    load_cross_encoder,
    load_encoder,
)

logger = logging.getLogger(__name__)

NO_MODEL = "none"

_lock = threading.Lock()


def model_is_configured() -> bool:
    """Return whether there should be an encoder; it is not loaded."""
    return bool(settings.MODEL != NO_MODEL)


def current_encoder() -> tuple[Encoder | None, str]:
    """Return the configured encoder, or None and the sentence that says why."""
    with _lock:
        return _load_encoder(settings.MODEL)


def current_cross_encoder() -> CrossEncoderScorer | None:
    """Return the configured cross-encoder, or None when none is configured.

    Raises ModelError when one is configured and cannot be loaded.
    """
    if not settings.CROSS_ENCODER:
        return None
    with _lock:
        return _load_cross_encoder(settings.CROSS_ENCODER)


@lru_cache(maxsize=1)
def _load_encoder(model: str) -> tuple[Encoder | None, str]:
    if model == NO_MODEL:
        return None, "no embedding model is configured"
    try:
        return load_encoder(model), ""
    except ModelError as error:
        logger.warning("no vectors: %s", error)
        return None, str(error)


@lru_cache(maxsize=1)
def _load_cross_encoder(model: str) -> CrossEncoderScorer:
    return load_cross_encoder(model)
