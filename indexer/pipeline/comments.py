"""Comments and docstrings as text: markers stripped, indentation taken off."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from dataclasses import dataclass

_LICENCE = re.compile(
    r"copyright|licen[cs]ed? |\(c\)|spdx-|all rights reserved", re.IGNORECASE
)
# Lines of a leading comment that speak to a tool, not to a reader.
_DIRECTIVE = re.compile(
    r"-\*-|coding[:=]|vim:|eslint-|@ts-|prettier-|!.*/|noqa|pylint:|type: *ignore"
    r"|go:\w|\+build |nolint|NOLINT|shellcheck |rubocop:|frozen_string_literal:"
    r"|swiftlint:|clang-format|<\?|# [A-Z_]+ .*#$"
)
_BLOCK_MARKS = re.compile(r"\A/\*+!?|\**\*/\Z")
_BLOCK_LINE = re.compile(r"^[ \t]*\*(?!\*)[ \t]?", re.MULTILINE)
_LINE_MARK = re.compile(r"^[ \t]*(?:///?!?|#+'?|-{2,}(?:[ \t]*[|^])?|;+|%+)[ \t]?")
# Block comments of OCaml, Haskell, Lua, Julia, and Julia's documentation.
_BLOCKS = (
    ("(*", "*)"),
    ("{-", "-}"),
    ("--[[", "]]"),
    ("#=", "=#"),
    ('"""', '"""'),
    ('"', '"'),
)
# C# writes its documentation in these.
_XML_NAME = re.compile(
    r"<(?:see|seealso|paramref|typeparamref)\s+\w+=\"([^\"<>]*)\"\s*/>"
)
_XML_TAG = re.compile(
    r"</?(?:summary|remarks|param|returns|exception|example|value|para|c|code"
    r"|typeparam|inheritdoc|list|item|description|term)\b[^<>]*/?>"
)


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment that has its lines to itself; lines are inclusive, from 1."""

    first_line: int
    last_line: int
    text: str


@dataclass(frozen=True, slots=True)
class CommentRun:
    """Comments on adjoining lines, as one text."""

    first_line: int
    last_line: int
    text: str


def join_runs(comments: Iterable[Comment]) -> list[CommentRun]:
    """Return the runs of adjoining comments, in order.

    Where a run holds documentation blocks (`/** */`), the last of them is its
    text: what stands around one is for tools.
    """
    groups: list[list[Comment]] = []
    for comment in sorted(comments, key=lambda one: one.first_line):
        if groups and groups[-1][-1].last_line == comment.first_line - 1:
            groups[-1].append(comment)
        else:
            groups.append([comment])
    return [
        CommentRun(group[0].first_line, group[-1].last_line, _run_text(group))
        for group in groups
    ]


def is_licence(text: str) -> bool:
    """Tell whether a comment is a copyright notice and documents nothing."""
    return bool(_LICENCE.search(text[:1000]))


def clean_docstring(text: str) -> str:
    """Return a docstring's content without its indentation."""
    return inspect.cleandoc(text).strip()


def _run_text(group: list[Comment]) -> str:
    blocks = [comment for comment in group if comment.text.startswith("/**")]
    chosen = blocks[-1:] or group
    lines = [line for comment in chosen for line in _clean(comment.text).split("\n")]
    if chosen[0].text.startswith("///"):
        lines = [_XML_TAG.sub("", _XML_NAME.sub(r"\1", line)) for line in lines]
    kept = [line for line in lines if not _DIRECTIVE.match(line.strip())]
    return "\n".join(kept).strip()


def _clean(comment: str) -> str:
    if comment.startswith("/*"):
        inner = _BLOCK_LINE.sub("", _BLOCK_MARKS.sub("", comment.strip()))
        return inspect.cleandoc(inner)
    for opening, closing in _BLOCKS:
        if comment.startswith(opening):
            inner = comment.removeprefix(opening).removesuffix(closing)
            return inspect.cleandoc(inner.lstrip("*|")).strip()
    return _LINE_MARK.sub("", comment)
