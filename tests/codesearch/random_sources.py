"""Random repositories whose chunks share most of their words, and queries of them."""

from __future__ import annotations

import json
import random
from pathlib import Path

# fmt: off
VERBS = (
    "send", "read", "open", "close", "merge", "split", "parse", "print", "store",
    "load", "check", "count",
)
NOUNS = (
    "report", "invoice", "order", "ledger", "parcel", "ticket", "budget", "salary",
    "coupon", "basket", "voucher", "customer", "warehouse", "shipment", "refund",
    "discount", "receipt", "supplier", "catalogue", "payment",
)
# fmt: on
FILTERS = (
    "kind:method",
    "kind:class",
    "-kind:function",
    "lang:js",
    "path:billing",
    "-path:tests",
    "is:test",
    "-is:documentation",
    "path:nowhere",
    "kind:class kind:section -path:store",
)


def make_files(seed: int, modules: int) -> dict[str, str | bytes]:
    """Return modules that share most of their words, with copies and stubs of some."""
    rng = random.Random(seed)  # noqa: S311 - it picks test data
    files: dict[str, str | bytes] = {}
    for n in range(modules):
        noun = rng.choice(NOUNS)
        folder = rng.choice(("billing", "store", "tests", "core"))
        name = f"{noun.title()}{n}"
        module = _module(rng, noun, name)
        files[f"{folder}/{noun}_{n}.py"] = module
        if n % 6 == 0:
            files[f"vendor/{noun}_{n}.py"] = module
            files[f"api_{n}/__init__.py"] = f"from {folder}.{noun}_{n} import {name}\n"
            files[f"web/{noun}{n}.js"] = f"function show{name}(x) {{\n  return x;\n}}\n"
            files[f"docs/{n}.md"] = (
                f"# {noun.title()}\n\nPay it.\n\n## Send\n\nBy post.\n"
            )
    long = "".join(f"    {noun}.send(report_{n})\n" for n, noun in enumerate(NOUNS * 5))
    files["core/all.py"] = f"def send_everything(report):\n{long}"  # Of several parts.
    return files


def _module(rng: random.Random, noun: str, name: str) -> str:
    parts = [f'"""Everything of a {noun}."""\n']
    for verb in rng.sample(VERBS, 7):
        other = rng.choice(NOUNS)
        doc = f'    """{verb.title()} the {noun} of a {other}."""\n'
        head = f"def {verb}_{noun}({other}):\n" + doc * rng.choice((0, 1, 1))
        parts.append(f"{head}    return {other}.{verb}\n")
    methods = [
        f"    def {verb}(self, {noun}):\n        return self.{rng.choice(NOUNS)}\n"
        for verb in rng.sample(VERBS, 4)
    ]
    return "\n\n".join([*parts, f"class {name}:\n" + "\n".join(methods)])


def make_query(rng: random.Random, folder: Path, name: str) -> str:
    """Return words of an index, a sentence of its docs or a name, at times filtered."""
    vocabulary = json.loads((folder / "postings" / "vocabulary.json").read_bytes())
    sentences = json.loads((folder / "sentences.json").read_bytes())
    choices = (
        " ".join(rng.choices(vocabulary, k=rng.randint(1, 5))),
        rng.choice(sentences)[1],
        name,
        "return self",
        f"NoSuchKey of the {name} and a {rng.choice(NOUNS)}",
    )
    rest = f" {rng.choice(FILTERS)}" if rng.random() < 0.3 else ""
    return rng.choice(choices) + rest
