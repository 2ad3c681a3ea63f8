"""Says whether a repository's source may be used, and what it is."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Literal
from urllib.parse import SplitResult, urlsplit

SCHEMES = ("https", "ssh")
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
HELPER = re.compile(r"[A-Za-z0-9][A-Za-z0-9+.-]*::")  # git-remote-<helper>, such as ext
SHORT_SSH = re.compile(
    r"(?P<user>[A-Za-z0-9_][\w.-]*)@(?P<host>[A-Za-z0-9][\w.-]*):(?P<path>(?!//).+)"
)
HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*|[0-9A-Fa-f:.]+")
# What git itself refuses in a branch name, see git-check-ref-format(1).
BAD_BRANCH = re.compile(r"^[-/]|[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|[/.]$|\.lock$|^@$")


def check_source(source: str, roots: Sequence[Path] | None) -> Literal["git", "folder"]:
    """Return what `source` is: a Git URL or an absolute folder.

    `roots` are the folders below which a folder must lie, links followed; None
    stands for the command line, which may use any folder and any host. Raises
    `ValueError` with a sentence for people. The folder is checked as it is now:
    check again before reading it.
    """
    if not source.strip():
        raise ValueError("Enter a Git URL or the absolute path of a folder.")
    if re.search(r"[\x00-\x20\x7f]", source) and not source.startswith("/"):
        raise ValueError("A Git URL has no spaces or line breaks; remove them.")
    if re.search(r"[\x00-\x1f\x7f]", source):
        raise ValueError("A path has no line breaks or control characters here.")
    if source.startswith("-"):
        raise ValueError("A source does not start with a dash.")
    if HELPER.match(source):
        raise ValueError(
            "Git's transport helpers (name::...) are not allowed; use https:// or ssh://."
        )
    if SCHEME.match(source):
        _check_url(source, anywhere=roots is None)
        return "git"
    if source.startswith("/"):
        _check_folder(Path(source), roots)
        return "folder"
    _check_short_ssh(source, anywhere=roots is None)
    return "git"


def check_branch(branch: str) -> None:
    """Raise `ValueError` with a sentence if `branch` cannot be a branch's name."""
    if branch and BAD_BRANCH.search(branch):
        raise ValueError(
            f"{branch!r} cannot be the name of a branch, a tag or a commit. "
            "Leave it empty for the default branch."
        )


def plain_address(url: str) -> str:
    """Return `url` without user, password and query, fit for a message or a log."""
    return re.sub(r"(?<=://)[^/\s]*@|[?#]\S*", "", url)


def _check_url(source: str, *, anywhere: bool) -> None:
    try:
        url = urlsplit(source)
        port = url.port
    except ValueError as error:
        raise ValueError(f"This is not a URL: {error}.") from error
    _check_scheme(url.scheme)
    _check_credentials(url)
    if url.query or url.fragment:
        raise ValueError("Leave out everything from ? or # on.")
    if not url.hostname or port == 0:
        raise ValueError("The URL names no host; write https://host/path.")
    if not url.path.strip("/"):
        raise ValueError("The URL names no repository; write https://host/path.")
    _check_host(url.hostname, anywhere=anywhere)


def _check_scheme(scheme: str) -> None:
    if scheme == "http":
        raise ValueError("http:// can be changed on its way; use https://.")
    if scheme == "file":
        raise ValueError("file:// is not allowed; enter the folder's absolute path.")
    if scheme not in SCHEMES:
        raise ValueError(f"{scheme}:// is not supported; use https:// or ssh://.")


def _check_credentials(url: SplitResult) -> None:
    if url.password is not None or (url.scheme == "https" and url.username is not None):
        raise ValueError(
            "Leave the user name, password or token out of the URL: pages and logs "
            "show it. Use an SSH key or a Git credential helper instead."
        )
    if url.username is not None and not re.fullmatch(
        r"[A-Za-z0-9_][\w.-]*", url.username
    ):
        raise ValueError(
            "The user name in the URL may hold letters, digits, . _ and -."
        )


def _check_short_ssh(source: str, *, anywhere: bool) -> None:
    parts = SHORT_SSH.fullmatch(source)
    if parts is None or parts["path"].startswith("-"):
        raise ValueError(
            "Enter a Git URL (https://host/path, ssh://git@host/path or "
            "git@host:path) or the absolute path of a folder."
        )
    _check_host(parts["host"], anywhere=anywhere)


def _check_host(host: str, *, anywhere: bool) -> None:
    """Raise if `host` is malformed, or names this machine or a private network.

    A name that resolves to a private address is allowed: an intranet's Git
    server has one. A bare address is what a probe of the network uses.
    """
    if not HOST.fullmatch(host):
        raise ValueError(f"{host!r} is not a host name.")
    if anywhere:
        return
    name = host.rstrip(".").lower()
    address = _literal_address(name)
    here = name in ("localhost", "localhost.localdomain") or name.endswith(".localhost")
    if here or (address is not None and not _is_public(address)):
        raise ValueError(
            f"{host} is this machine or a private address. Use the Git server's "
            "host name, or register it on the command line."
        )


def _is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return address.is_global and not address.is_multicast


def _literal_address(
    host: str,
) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the address that `host` spells, as 127.1 and 0x7f000001 do as well."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except OSError:
        return None


def _check_folder(folder: Path, roots: Sequence[Path] | None) -> None:
    resolved = folder.resolve()
    if roots is not None:
        _check_roots(folder, resolved, roots)
    if not resolved.exists():
        raise ValueError(f"{folder} does not exist on the server.")
    if not resolved.is_dir():
        raise ValueError(f"{folder} is not a folder.")


def _check_roots(folder: Path, resolved: Path, roots: Sequence[Path]) -> None:
    if not roots:
        raise ValueError(
            "No folders are allowed yet: set CODESEARCH_ROOTS to the folders whose "
            "subfolders may be indexed, and restart."
        )
    if not any(resolved.is_relative_to(root.resolve()) for root in roots):
        allowed = ", ".join(str(root) for root in roots)
        raise ValueError(
            f"{folder} is not below an allowed folder ({allowed}). "
            "Allow it with CODESEARCH_ROOTS."
        )
