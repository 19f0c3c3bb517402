"""Texts that replace spans of files."""

from __future__ import annotations

import pytest

from ca_reports.patching.patches import (
    Patch,
    RefusedError,
    Replacement,
    applied,
    successive,
    unified_diff,
)
from tests.unit.reports.output.fixed import FIRST, TEXT


def test_patches_of_the_same_characters_are_refused() -> None:
    other = Patch("two is II", (Replacement("a/b.py", 5, 7, "I"),))
    with pytest.raises(RefusedError, match=r"the same lines of a/b\.py"):
        applied({"a/b.py": TEXT}, [FIRST, other])


def test_patches_are_applied_together_whatever_their_order() -> None:
    texts = {"a.py": "one two three\n", "b.py": "four\n", "c.py": "five\n"}
    first = Patch("", (Replacement("a.py", 8, 13, "3"), Replacement("b.py", 0, 4, "4")))
    second = Patch("", (Replacement("a.py", 0, 3, "1"), Replacement("a.py", 4, 4, "and ")))
    assert first.files == ("a.py", "b.py")
    assert applied(texts, [first, second]) == {"a.py": "1 and two 3\n", "b.py": "4\n"}
    assert applied(texts, [second, first]) == applied(texts, [first, second])


def test_a_patch_upon_another_is_applied_with_it_and_once() -> None:
    texts = {"a.py": "one\ntwo\n", "b.py": "three\n"}
    below = Patch("", (Replacement("a.py", 0, 3, "1"), Replacement("b.py", 0, 5, "3")))
    both = Patch("", (Replacement("a.py", 0, 4, "1 or i\n"),), upon=below)
    other = Patch("", (Replacement("a.py", 4, 7, "2"),))
    assert both.files == ("a.py", "b.py")
    assert applied(texts, [both]) == {"a.py": "1 or i\ntwo\n", "b.py": "3\n"}
    assert applied(texts, [below, both, other]) == {"a.py": "1 or i\n2\n", "b.py": "3\n"}
    assert successive(texts, [below, both])[1] == (
        {"a.py": "1\ntwo\n", "b.py": "3\n"},
        {"a.py": "1 or i\ntwo\n", "b.py": "3\n"},
    )


def test_each_of_several_patches_changes_what_those_before_it_made() -> None:
    texts = {"a.py": "one two\n"}
    patches = [
        Patch("", (Replacement("a.py", 0, 3, "1"),)),
        Patch("", (Replacement("a.py", 4, 7, "2"),)),
    ]
    assert successive(texts, patches) == [
        ({"a.py": "one two\n"}, {"a.py": "1 two\n"}),
        ({"a.py": "1 two\n"}, {"a.py": "1 2\n"}),
    ]


def test_a_diff_keeps_what_only_looks_like_the_end_of_a_line() -> None:
    diff = unified_diff({"a.py": "x\x0cy\nlast"}, {"a.py": "x\x0cz\nlast"})
    assert diff.splitlines(keepends=False)[0] == "--- a/a.py"
    assert "-x\x0cy\n+x\x0cz\n last\n\\ No newline at end of file\n" in diff
