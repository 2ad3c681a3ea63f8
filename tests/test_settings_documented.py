"""Every variable that the settings read is in the README, and no other."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VARIABLE = r"CODESEARCH_[A-Z_]+|DATABASE_URL|REDIS_URL"


def variables_of_settings() -> set[str]:
    """Return the names of the variables that settings.py reads."""
    tree = ast.parse((ROOT / "codesearch" / "settings.py").read_text())
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    first = [call.args[0] for call in calls if call.args]
    return {
        argument.value
        for argument in first
        if isinstance(argument, ast.Constant)
        and isinstance(argument.value, str)
        and re.fullmatch(VARIABLE, argument.value)
    }


def test_the_readme_lists_every_variable_and_no_other() -> None:
    readme = (ROOT / "README.md").read_text()
    listed = set(re.findall(rf"^\| `({VARIABLE})` \|", readme, flags=re.MULTILINE))

    assert listed == variables_of_settings()


def test_the_settings_are_found() -> None:
    assert {"CODESEARCH_DATA", "DATABASE_URL", "REDIS_URL"} <= variables_of_settings()
