"""A diff as a golden file has it makes of the source what the patch makes of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ca_reports.patching.patches import unified_diff
from tests.corpus import diffs

LINES = st.lists(
    st.sampled_from(["", "a", "    b = 1", "- c", "+++ d", "@@ -1 +1 @@"]), max_size=12
)


@given(LINES, LINES, st.booleans())
def test_a_diff_is_applied_as_it_was_made(before: list[str], after: list[str], end: bool) -> None:
    old, new = ("\n".join([*lines, ""] if end else lines) for lines in (before, after))
    diff = unified_diff({"a.py": old}, {"a.py": new}).split("\n")[:-1]
    assert diffs.apply({"a.py": old, "b.py": "x"}, diff) == {"a.py": new, "b.py": "x"}


TEXT = {"a.py": "import os\n\nx = f(a, b)\ny = 1\n"}


def changed(old: str, new: str) -> dict[str, str]:
    assert old in TEXT["a.py"]
    return {"a.py": TEXT["a.py"].replace(old, new)}


def test_changes_of_one_line_are_put_together() -> None:
    versions = [
        changed("a,", "a.g(),"), changed("b)", "b.g())"), changed("y = 1", "y = 1\nz = 2"),
        changed("import os\n", "import os\nimport re\n"),
        changed("import os\n", "import os\nimport re\n"),
    ]  # fmt: skip
    assert diffs.merge(TEXT, versions) == {
        "a.py": "import os\nimport re\n\nx = f(a.g(), b.g())\ny = 1\nz = 2\n"
    }
    assert diffs.merge(TEXT, []) == TEXT
    with pytest.raises(ValueError, match="two change"):
        diffs.merge(TEXT, [changed("f(a, b)", "g(a, b)"), changed("x = f(a, b)\n", "")])


@given(LINES, LINES)
def test_one_version_is_itself(before: list[str], after: list[str]) -> None:
    old, new = ({"a.py": "\n".join(lines)} for lines in (before, after))
    assert diffs.merge(old, [new]) == new


def test_a_diff_of_another_text_is_refused() -> None:
    diff = unified_diff(TEXT, changed("y = 1", "y = 2")).splitlines()
    with pytest.raises(ValueError, match="not there"):
        diffs.apply(changed("y = 1", "y = 3"), diff)
