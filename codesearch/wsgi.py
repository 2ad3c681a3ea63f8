"""The WSGI application that gunicorn serves."""

from __future__ import annotations

import gc
import os
import threading

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "codesearch.settings")

application = get_wsgi_application()

from django.conf import settings  # noqa: E402 - after the apps are ready

from indexer.encoders import BEING_PREPARED, answer_soon, encoder_of  # noqa: E402
from indexer.pipeline.encoder import Embedder  # noqa: E402


def warm_up() -> None:
    """Load the model, so that the first search does not wait for it.

    Its packages leave half a million objects that live as long as the process. Frozen,
    they are not walked through, for a fifth of a second, every hundred searches.
    """
    while encoder_of(Embedder(model=settings.MODEL))[1] == BEING_PREPARED:
        pass  # Each call waits for it some seconds.
    gc.collect()
    gc.freeze()


answer_soon()
threading.Thread(target=warm_up, daemon=True).start()
