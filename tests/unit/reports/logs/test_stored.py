from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from ca_reports.logs.stored import StoredText


@given(st.binary())
def test_what_is_packed_comes_back(data: bytes) -> None:
    stored = StoredText.pack(data)
    assert stored.data == data
    assert stored.length == len(data)


def test_what_is_no_text_is_replaced() -> None:
    assert StoredText.pack(b"a\xffb").text == "a\N{REPLACEMENT CHARACTER}b"


def test_of_a_text_like_another_only_the_difference_is_kept() -> None:
    rows = [f"mul_{number}: {random.Random(number).random()}\n" for number in range(20_000)]
    first = "".join(rows).encode()
    rows[1_000] = "mul_1000: another\n"
    second = "".join(rows).encode()
    base = StoredText.pack(first)
    like = StoredText.pack(second, StoredText.compressor(first))
    stored = replace(like, base=base)
    assert stored.data == second
    assert len(stored.packed) < len(base.packed) / 100
