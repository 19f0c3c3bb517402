"""A sentence holds references to names that the program's source tells later."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ca_reports.words.references import Reference, parts, plain

NESTED = "\x02" * 100_000 + "\x03" * 100_000
FIRST = Reference("args[0]", ".ids")


def test_a_text_is_taken_apart_at_its_references() -> None:
    text = f"`{FIRST}` varied, {Reference('fn')} not"
    assert parts(text) == ("`", [(FIRST, "` varied, "), (Reference("fn"), " not")])
    assert plain(text) == "`args[0].ids` varied, fn not"


def test_what_is_read_of_one_may_refer_to_another() -> None:
    inner = Reference("args[0]", f"[{Reference('args[1]')}]")
    assert parts(f"{inner}") == ("", [(inner, "")])
    assert plain(f"the {inner}.") == "the args[0][args[1]]."


@pytest.mark.parametrize(
    "text", ["", "`args[0].ids` varied", "\x03", "a \x02", "\x03\x02x\x1f", NESTED]
)
def test_a_text_without_a_whole_reference_is_left(text: str) -> None:
    assert parts(text) == (text, [])
    assert plain(text) == text


@given(st.text("ab\x02\x03\x1f`"))
def test_no_text_is_lost(text: str) -> None:
    first, found = parts(text)
    whole = first + "".join(f"{reference}{words}" for reference, words in found)
    assert whole.replace("\x1f", "") == text.replace("\x1f", "")
