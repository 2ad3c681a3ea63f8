"""The processes of one codesearch: which they are and how each is started."""

from __future__ import annotations

import errno
import http.client
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path

from django.conf import settings

from codesearch.supervisor import Service, SupervisorError

DRAIN_SECONDS = 20  # For the batch a worker is at; an unfinished one is resumed.
REQUEST_SECONDS = 10  # For the requests that are being answered.
ANSWER_SECONDS = 2.0


def web_command() -> list[str]:
    """Return the command of the web server."""
    return [
        *(sys.executable, "-m", "gunicorn", "codesearch.wsgi"),
        *("--bind", listen_name(settings.LISTEN_ADDRESS)),
        *("--worker-class", "gthread", "--workers", "1"),
        *("--threads", str(settings.WEB_THREADS)),
        # The most there is: a query of 1,000 characters may be 9,000 bytes encoded.
        *("--limit-request-line", "8190"),
        *("--graceful-timeout", str(REQUEST_SECONDS)),
        *("--log-level", "warning"),
        # Without a control socket nobody but the supervisor steers it, and two
        # stacks of one user do not meet in the home folder.
        "--no-control-socket",
    ]


def worker_command() -> list[str]:
    """Return the command of the Celery worker, which runs the schedule as well."""
    return [
        *(sys.executable, "-m", "celery", "--app", "codesearch", "--quiet"),
        *("worker", "--beat", "--pool", "prefork"),
        *("--concurrency", str(settings.WORKERS)),
        # One worker has no neighbours to meet at its start or to listen to.
        *("--without-mingle", "--without-gossip"),
        *("--include", "codesearch.beat"),
        *("--loglevel", "WARNING"),
    ]


def web_service() -> Service:
    """Return the web server as something to supervise."""
    return Service(
        name="web server",
        command=web_command(),
        is_ready=web_answers,
        start_seconds=120.0,
        stop_seconds=REQUEST_SECONDS + 5.0,
    )


def worker_service(
    *, after_death: Callable[[], None], before_stop: Callable[[], None]
) -> Service:
    """Return the worker as something to supervise."""
    return Service(
        name="worker",
        command=worker_command(),
        after_death=after_death,
        before_stop=before_stop,
        stop_seconds=float(DRAIN_SECONDS),
        # Without a supervisor there is no broker either, and a worker that cannot
        # give its tasks back never ends by itself (measured with SIGQUIT).
        orphan_signal=signal.SIGKILL,
    )


def demo_service() -> Service:
    """Return the process that indexes the demo repository and prints its links."""
    manage = str(Path(settings.BASE_DIR) / "manage.py")
    return Service(name="demo", command=[sys.executable, manage, "demo"], once=True)


def listen_name(address: str) -> str:
    """Return `address` with our port, as a URL has it."""
    host = f"[{address}]" if ":" in address else address
    return f"{host}:{settings.LISTEN_PORT}"


def reachable_address() -> str:
    """Return the address to open: the one we listen at, or localhost for all."""
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared only
    return everywhere.get(settings.LISTEN_ADDRESS, settings.LISTEN_ADDRESS)


def site_url() -> str:
    """Return where a browser on this machine finds the first page."""
    return f"http://{listen_name(reachable_address())}/"


def web_answers() -> bool:
    """Return whether the web server says that it is well."""
    connection = http.client.HTTPConnection(
        reachable_address(), settings.LISTEN_PORT, timeout=ANSWER_SECONDS
    )
    try:
        connection.request("GET", "/healthz", headers={"Host": allowed_host()})
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def allowed_host() -> str:
    """Return a host name that Django accepts in a request."""
    first = next(iter(settings.ALLOWED_HOSTS), "localhost")
    return "localhost" if first == "*" else first.lstrip(".")


def check_port() -> None:
    """Raise `SupervisorError` if the web server could not listen."""
    address, port = settings.LISTEN_ADDRESS, settings.LISTEN_PORT
    try:
        family, kind, _, _, target = socket.getaddrinfo(
            address, port, type=socket.SOCK_STREAM
        )[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(target)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise SupervisorError(
                f"Port {port} of {address} is in use. Stop the program that holds "
                "it, or set CODESEARCH_PORT to another port."
            ) from error
        raise SupervisorError(
            f"Cannot listen on port {port} of {address}: {error.strerror}. "
            "Check CODESEARCH_ADDRESS and CODESEARCH_PORT."
        ) from error
