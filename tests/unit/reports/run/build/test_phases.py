"""The parts of a compile's time, and what the caches said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ca_reports.run.build.phases import (
    bypass_reason,
    cache_lookups,
    kernel_seconds,
    seconds_saved,
    split,
)

TOTAL = "entire_frame_compile_time_s"
BACKEND = "backend_compile_time_s"
AOT = "aot_autograd_cumulative_compile_time_us"
INDUCTOR = "inductor_cumulative_compile_time_us"
NUMBERS = st.none() | st.floats(allow_nan=True) | st.text() | st.booleans() | st.integers()


def test_each_part_is_less_what_it_holds() -> None:
    metrics = {TOTAL: 10.0, BACKEND: 7.0, AOT: 6e6, INDUCTOR: 4e6}
    assert split(metrics) == {"dynamo": 3.0, "aot": 2.0, "backend": 5.0}
    assert split({TOTAL: 10.0}) == {"dynamo": 10.0}
    assert split({BACKEND: 7.0}) == {}


@given(st.dictionaries(st.sampled_from((TOTAL, BACKEND, AOT, INDUCTOR)), NUMBERS))
def test_whatever_the_numbers_say_no_second_is_lost_or_invented(metrics: dict[str, object]) -> None:
    parts = split(metrics)
    assert all(seconds > 0 for seconds in parts.values())
    if parts:
        total = metrics[TOTAL]
        assert isinstance(total, float | int)
        assert sum(parts.values()) == pytest.approx(total)


def test_lookups_that_did_not_happen_are_left_out() -> None:
    metrics = {
        "inductor_fx_local_cache_hit_count": 2,
        "aotautograd_local_cache_miss_count": 1,
        "aotautograd_local_cache_hit_count": 0,
        "inductor_fx_remote_cache_hit_count": "3",
    }
    assert cache_lookups(metrics) == {"fx_hit": 2, "aot_miss": 1}


def test_seconds_of_kernels_and_those_that_a_cache_saved() -> None:
    assert kernel_seconds({"triton_compile_time_us": 2_500_000}) == 2.5
    assert seconds_saved({"remote_cache_time_saved_s": 3.5}) == 3.5
    assert kernel_seconds({}) is None
    assert seconds_saved({}) is None


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        ({"cache_bypass_reason": "Custom\n backend"}, "FxGraphCache: Custom backend"),
        ({"cache_bypass_reason": "<function f at 0x7f00>"}, "FxGraphCache: <function f>"),
        ({"cache_bypass_reason": None}, "FxGraphCache: no reason given"),
    ],
)
def test_why_a_cache_was_not_asked(payload: dict[str, object], words: str) -> None:
    assert bypass_reason("fx_graph_cache_bypass", payload) == words
