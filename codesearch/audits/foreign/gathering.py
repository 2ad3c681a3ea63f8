"""Gathering: from files that were brought to one `Brought`, read by their formats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from codesearch.audits.foreign.documents import read_document
from codesearch.audits.foreign.runs import read_run
from codesearch.audits.foreign.stages import in_order, read_stage, settle
from codesearch.audits.foreign.types import (
    DOCUMENT_LIMIT,
    MOST_BYTES,
    Brought,
    Question,
    Report,
    fault_of_name,
)
from codesearch.case_files.records import (
    KEY_LIMIT,
    Problem,
    UnreadableFile,
    fault_of_text,
    split_lines,
)
from codesearch.case_files.trec import read_qrels, read_topics


@dataclass(frozen=True, slots=True)
class BroughtFile:
    """A file as it was brought: its name and its bytes."""

    name: str
    data: bytes

    @property
    def text(self) -> str:
        """Its text. Raises UnreadableFile where it is not UTF-8."""
        try:
            return self.data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UnreadableFile(
                f"{self.name} is no text in UTF-8 (byte {error.start:,}). Bring it "
                "unpacked, in that encoding."
            ) from error


@dataclass(frozen=True, slots=True)
class RunFile:
    """The run file of one stage."""

    file: BroughtFile
    name: str
    kind: str
    depth: int | None = None


def gather_document(file: BroughtFile, report: Report) -> Brought:
    """Return what one JSON file brings. Raises UnreadableFile."""
    check_size([file])
    return settle(read_document(file.text, file.name, report), report)


def gather_runs(
    runs: Sequence[RunFile],
    questions: Sequence[Question],
    report: Report,
    system: str = "",
) -> Brought:
    """Return what run files bring for these questions. Raises UnreadableFile."""
    check_size([run.file for run in runs])
    heads = in_order([read_stage(run.name, run.kind, run.depth, {}) for run in runs])
    keys = frozenset(question.key for question in questions)
    files = {run.name: run.file for run in runs}
    stages = [
        replace(
            head,
            lists=read_run(
                split_lines(files[head.name].text),
                f"{head.name} ({files[head.name].name})",
                report,
                keys,
            ),
        )
        for head in heads
    ]
    return settle(Brought(system, stages, questions), report)


def gather_questions(
    qrels: BroughtFile, topics: BroughtFile | None, report: Report
) -> list[Question]:
    """Return the queries of judgements and, if any, their texts. Raises UnreadableFile.

    A query with a text and no judgement is one too. They are sorted as they come.
    """
    check_size([qrels, *([topics] if topics else [])])
    judgements, problems = read_qrels(split_lines(qrels.text))
    _tell(problems, qrels.name, report)
    judged: dict[str, dict[str, int]] = {}
    for one in judgements:
        fault = fault_of_name(one.qid, "query id", KEY_LIMIT) or fault_of_name(
            one.document, "document", DOCUMENT_LIMIT
        )
        if fault:
            report.refuse(f"{qrels.name}, line {one.line:,}", one.document, fault)
        else:
            judged.setdefault(one.qid, {})[one.document] = one.grade
    texts = _read_texts(topics, report) if topics else {}
    return [
        Question(key, texts.get(key, ""), judged=judged.get(key, {}))
        for key in dict.fromkeys([*judged, *texts])
    ]


def check_size(files: Iterable[BroughtFile]) -> None:
    """Refuse files that are too large together. Raises UnreadableFile."""
    size = sum(len(file.data) for file in files)
    if size > MOST_BYTES:
        raise UnreadableFile(
            f"The files have {size / 1e6:,.0f} MB together; {MOST_BYTES / 1e6:,.0f} MB "
            "are read. Cut each list at the depth that matters."
        )


def _read_texts(topics: BroughtFile, report: Report) -> Mapping[str, str]:
    found, problems = read_topics(split_lines(topics.text))
    _tell(problems, topics.name, report)
    texts = {}
    for one in found:
        fault = fault_of_name(one.qid, "query id", KEY_LIMIT) or fault_of_text(
            one.query
        )
        if fault:
            report.refuse(f"{topics.name}, line {one.line:,}", one.query, fault)
        else:
            texts[one.qid] = one.query
    return texts


def _tell(problems: Iterable[Problem], source: str, report: Report) -> None:
    for problem in problems:
        report.refuse(f"{source}, {problem.place}", problem.text, problem.sentence)
