"""A tree of a query in one line, as tests write it down."""

from __future__ import annotations

from codesearch.funnel.expression import All, Any, Filter, Literal, Node, Not


def spell(node: Node) -> str:
    """Return a tree in one line: all in (), any in [], a word as it is."""
    if isinstance(node, All):
        return f"({' '.join(map(spell, node.parts))})"
    if isinstance(node, Any):
        return f"[{' '.join(map(spell, node.parts))}]"
    if isinstance(node, Not):
        return f"!{spell(node.part)}"
    if isinstance(node, Filter):
        return f"{node.name}={node.value}"
    if isinstance(node, Literal):
        mark = "/" if node.pattern.is_regex else '"'
        return f"{mark}{node.pattern.text}{mark}"
    return node.text
