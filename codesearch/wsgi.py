"""The WSGI application that gunicorn serves."""

from __future__ import annotations

import os
import threading

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "codesearch.settings")

application = get_wsgi_application()

from indexer.encoders import current_encoder  # noqa: E402 - after the apps are ready

# The model takes seconds to load; the first search should not wait for it.
threading.Thread(target=current_encoder, daemon=True).start()
