"""GIVEN a text of torch's about a miss WHEN it is parsed THEN all that it says is known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ca_engine import reasons
from tests.unit.logwriter import GRAPH_ROOT

ACCUMULATE = "torch::autograd::AccumulateGrad"


def new_node(name: str) -> str:
    return f"Cache miss due to new autograd node: {name} (NodeCall 12)"


def test_a_new_autograd_node() -> None:
    text = f"{new_node(ACCUMULATE)} with key size 33, previous key sizes=[22,24,]"
    assert reasons.parse(text) == {
        "kind": "new_autograd_node",
        "node": {"index": 12, "name": ACCUMULATE},
        "key_size": 33,
        "previous_key_sizes": [22, 24],
        "sizes_changed": [],
        "sizes_total": None,
    }


@pytest.mark.parametrize("prefix", ["struct ", "class "])
def test_the_names_of_msvc(prefix: str) -> None:
    assert reasons.parse(new_node(prefix + ACCUMULATE)) == reasons.parse(new_node(ACCUMULATE))


def test_older_torch_leaves_out_the_sizes() -> None:
    miss = reasons.parse(new_node(ACCUMULATE))
    assert (miss["kind"], miss["key_size"]) == ("new_autograd_node", None)
    assert miss["node"] == {"index": 12, "name": ACCUMULATE}


def test_the_first_capture_is_not_a_new_node() -> None:
    assert reasons.is_of_empty_cache(reasons.parse(GRAPH_ROOT))
    assert not reasons.is_of_empty_cache(reasons.parse(GRAPH_ROOT.replace("[]", "[39]")))


def test_changed_shapes() -> None:
    miss = reasons.parse(
        "Cache miss due to 2 changed tensor shapes (total of 7): sizes[0], sizes[5]"
    )
    assert (miss["kind"], miss["sizes_changed"], miss["sizes_total"]) == (
        "changed_shapes",
        [0, 5],
        7,
    )


def test_the_id_before_a_reason() -> None:
    assert reasons.split_id("!14: Cache miss") == (14, "Cache miss")
    assert reasons.split_id("Cache miss") == (None, "Cache miss")


@given(st.text(max_size=200) | st.text("Cache missduetonw:()[],!0123456789 ", max_size=200))
def test_any_text_has_a_kind(text: str) -> None:
    kinds = ("new_autograd_node", "changed_shapes", "unknown")
    assert reasons.parse(reasons.split_id(text)[1])["kind"] in kinds
