"""Hosts: the address of a line at the host of its repository, or in an editor.

A template is an address with `{path}`, `{revision}`, `{line}` and `{repository}` in it.
What is put in is percent-encoded, so that it is never more than a part of a path.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

from indexer.pipeline.sources import SHORT_SSH

PLACES = frozenset({"path", "revision", "line", "repository"})
NO_LINK = "none"  # In place of a template: not even the one that is known.

# What programs register for themselves; none of them runs what the address holds.
EDITORS = frozenset(
    (
        *("vscode", "vscode-insiders", "vscodium", "cursor", "windsurf", "zed"),
        *("idea", "jetbrains", "pycharm", "webstorm", "phpstorm", "goland", "clion"),
        *("rider", "rubymine", "subl", "txmt", "mvim", "emacs", "nova"),
    )
)

_FORMS = {
    "github": "/blob/{revision}/{path}#L{line}",
    "gitlab": "/-/blob/{revision}/{path}#L{line}",
    "gitea": "/src/commit/{revision}/{path}#L{line}",
    "bitbucket": "/src/{revision}/{path}#lines-{line}",
    "sourcehut": "/tree/{revision}/item/{path}#L{line}",
}
_HOSTS = {
    "github.com": "github",
    "gitlab.com": "gitlab",
    "codeberg.org": "gitea",
    "gitea.com": "gitea",
    "bitbucket.org": "bitbucket",
    "git.sr.ht": "sourcehut",
}
# A host of one's own is mostly called as its program: `gitlab.example.org`.
_LABELS = {"github": "github", "gitlab": "gitlab", "gitea": "gitea", "forgejo": "gitea"}
# Where ssh is answered at the port of https.
_SSH_HOSTS = {
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
}
_PLACE = re.compile(r"\{([^{}]*)\}")
_BAD = re.compile(r"[\x00-\x20\x7f-\xa0\"'<>\\^`|]")


def known_template(source: str) -> str:
    """Return the template of a repository's host, "" where it is not a known one.

    Of `https`, `ssh` and `git@host:path` sources; without user, password and port of
    ssh.
    """
    host, path = _place_of(source)
    kind = _HOSTS.get(host) or _LABELS.get(host.partition(".")[0] if host else "")
    project = path.strip("/").removesuffix(".git")
    if kind is None or "/" not in project:
        return ""
    return f"https://{host}/{quote(project, safe='/~')}{_FORMS[kind]}"


def check_host_template(template: str) -> None:
    """Raise ValueError with a sentence if this cannot lead to files of a host."""
    if template in ("", NO_LINK):
        return
    _check_places(template)
    url = urlsplit(template)
    if url.scheme != "https" or not url.hostname:
        raise ValueError("Write an address that begins with https:// and a host.")
    if "@" in url.netloc or "{" in url.netloc:
        raise ValueError("The host stands as it is, without user and password.")


def check_editor_template(template: str) -> None:
    """Raise ValueError with a sentence if this is no address of a known editor."""
    _check_places(template)
    scheme = template.partition(":")[0]
    if scheme not in EDITORS:
        raise ValueError(
            f"{scheme!r} is not the address of an editor; known are "
            f"{', '.join(sorted(EDITORS))}."
        )


def check_root(root: str) -> None:
    """Raise ValueError with a sentence if this is no absolute folder of any system."""
    if root and not re.fullmatch(r"(?:/|[A-Za-z]:[/\\])[^\x00-\x1f\x7f]*", root):
        raise ValueError("Write an absolute folder, such as /home/me/src/project.")


def fill_template(template: str, *, path: str, revision: str, repository: str) -> str:
    """Return an address; `{line}` stays. `path` is percent-encoded already."""
    known = {
        "path": path,
        "revision": quote(revision),
        "repository": quote(repository),
        "line": "{line}",
    }
    return _PLACE.sub(lambda place: known[place[1]], template)


def path_below(root: str, path: str) -> str:
    """Return a percent-encoded path below a folder of whatever system."""
    folder = quote(root.replace("\\", "/").rstrip("/"), safe="/:")
    return f"{folder}/{path}"


def _check_places(template: str) -> None:
    if _BAD.search(template):
        raise ValueError("An address has no spaces, quotes or line breaks.")
    names = _PLACE.findall(template)
    unknown = [name for name in names if name not in PLACES]
    if unknown or re.search(r"[{}]", _PLACE.sub("", template)):
        known = ", ".join(f"{{{name}}}" for name in sorted(PLACES))
        raise ValueError(f"In braces only these are known: {known}.")
    if "path" not in names:
        raise ValueError("Write {path} where the path of a file belongs.")


def _place_of(source: str) -> tuple[str, str]:
    """Return the host of a web page and the path of a repository, "" for neither."""
    if short := SHORT_SSH.fullmatch(source):
        return _web_host(short["host"]), short["path"]
    try:
        url = urlsplit(source)
        port = url.port
    except ValueError:
        return "", ""
    host = (url.hostname or "").rstrip(".")
    if url.scheme == "ssh":
        return _web_host(host), url.path
    if url.scheme != "https":
        return "", ""
    return (f"{host}:{port}" if port not in (None, 443) else host), url.path


def _web_host(host: str) -> str:
    name = host.lower()
    return _SSH_HOSTS.get(name, name)
