"""Naming: what a definition is called, by the rules of its language."""

from __future__ import annotations

import re
from collections.abc import Mapping

from indexer.pipeline.rules import LanguageRules
from indexer.pipeline.syntax import Node, find

MAX_NAME = 255  # characters of a qualified name; deep nesting would make it quadratic

_PLAIN_NAME = re.compile(r"[\w$#@][\w$#@.]*\Z")
_GENERIC = re.compile(r"[<\[(].*", re.DOTALL)
_QUOTED = frozenset({"string", "computed_property_name", "number"})


def text_of(data: bytes, node: Node) -> str:
    """Return a node's text; slices bytes, then decodes."""
    return data[node.start_byte : node.end_byte].decode("utf-8", "replace")


def bound_name(data: bytes, rules: LanguageRules, node: Node) -> str | None:
    """Return the name a value is bound to, without `exports.`.

    None where it is no plain name (a pattern, a subscript), "" where nothing is
    left of it (`module.exports`).
    """
    if node.end_byte - node.start_byte > 4 * MAX_NAME:
        return None
    text = "".join(text_of(data, node).split("\n"))
    if node.type in _QUOTED:
        return unquoted(text)
    if not _PLAIN_NAME.match(text):
        return None
    parts = text.split(".")
    if len(parts) > 1:
        parts = [part for part in parts if part not in rules.dropped_names]
    return ".".join(parts)


def declared_name(data: bytes, rules: LanguageRules, node: Node) -> tuple[str, str]:
    """Return a definition's qualifier and name, each "" where there is none.

    The qualifier is what is written before the name (`Vec` of `Vec<T>::norm`), or
    the type a function belongs to.
    """
    place = rules.names.get(node.type, rules.name)
    if parts := rules.spelled.get(node.type):
        qualifier, name = "", _spelled(data, node, parts)
    else:
        qualifier, name = _descended(data, rules, find(node, place))
    if not name:
        name = rules.fixed_names.get(node.type, "")
    if not name or name in rules.reserved:
        return "", ""
    if place := rules.receivers.get(node.type, ""):
        qualifier = _joined(*_descended(data, rules, find(node, place)))
    return qualifier, (rules.name_heads.get(node.type, "") + name)[:MAX_NAME]


def name_at(data: bytes, rules: LanguageRules, node: Node, place: str) -> str:
    """Return the whole name at a place, "" where there is none."""
    return _joined(*_descended(data, rules, find(node, place)))


def unquoted(text: str) -> str:
    """Return a literal's text without its quotation marks."""
    return text.strip().strip("'\"`<>")


def _spelled(data: bytes, node: Node, parts: Mapping[str, str | None]) -> str:
    """Put a name together from children: their text, or what stands for it."""
    return "".join(
        text_of(data, child)[:MAX_NAME] if (part := parts[child.type]) is None else part
        for child in node.children
        if child.type in parts
    )


def _descended(data: bytes, rules: LanguageRules, node: Node | None) -> tuple[str, str]:
    """Go down to the name proper; return its qualifier and itself."""
    scopes: list[str] = []
    head = ""
    while node is not None and not head and (place := rules.descent.get(node.type)):
        if scope := find(node, rules.scopes.get(node.type, "absent")):
            scopes.append(_plain(data, rules, scope))
        head = rules.name_heads.get(node.type, "")
        node = find(node, place)
    if node is None:
        return "", ""
    name = _plain(data, rules, node)
    if head:  # a conversion: its name is the type as it is written
        name = head + " ".join(text_of(data, node).split())[:MAX_NAME]
    return ".".join(filter(None, scopes))[:MAX_NAME], name


def _plain(data: bytes, rules: LanguageRules, node: Node) -> str:
    """Return a name as it is written, without type arguments."""
    if node.end_byte - node.start_byte > 4 * MAX_NAME:
        return ""
    text = "".join(text_of(data, node).split("\n"))
    if node.type in _QUOTED:
        return unquoted(text)
    if node.type in rules.odd_names or not node.is_named:
        if text and text[0] == text[-1] and text[0] in "`\"'":
            text = text[1:-1]
        text = text.removeprefix(":").replace("::", rules.joint)
        return text.strip("() ") if text.startswith("(") else text
    if not _PLAIN_NAME.match(text):
        text = _GENERIC.sub("", text).strip()
    text = text.replace("::", ".")
    return text if _PLAIN_NAME.match(text) else ""


def _joined(qualifier: str, name: str) -> str:
    return f"{qualifier}.{name}" if qualifier else name
