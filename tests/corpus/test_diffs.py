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


def test_a_diff_is_applied_upon_another_one() -> None:
    text = "\n".join(f"line {number}" for number in range(20)) + "\n"
    above = text.replace("line 2\n", "line 2\nmore\nand more\n")
    below = text.replace("line 15\n", "other\n")
    changes = [unified_diff({"a.py": text}, {"a.py": one}).splitlines() for one in (above, below)]
    both = diffs.apply(diffs.apply({"a.py": text}, changes[0]), changes[1])
    assert both == {"a.py": above.replace("line 15\n", "other\n")}
    with pytest.raises(ValueError, match="not there"):
        diffs.apply(both, changes[1])
