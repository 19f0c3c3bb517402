"""Sizes that are keys of a dictionary, which the forward fills."""

from __future__ import annotations

import pytest

from ca_reports.run.model import Compile
from tests.unit.reports.causes.rules.recompiled import compiled, explained, tree

CACHE = "L['self']._modules['rotary'].cache"
ASKED = "  # if n not in self.cache:  # train.py:7 in forward"
ADDED = "  # self.cache[n] = table(n)  # train.py:8 in forward"


def absent(key: int) -> str:
    return f"DICT_CONTAINS: not ___dict_contains({key}, {CACHE}){ASKED}"


def holds(number: int) -> str:
    return f"DICT_LENGTH: len({CACHE}) == {number}{ADDED}"


def item(key: int) -> str:
    accessor = f"DictGetItemGuardAccessor({key})"
    return f"GuardManager: source={CACHE}[{key}], accessed_by={accessor}, type=<class 'x'>"


def of_class() -> str:
    return f"TYPE_MATCH: ___check_type_id({CACHE}, 94), type=<class 'dict'>          {ASKED}"


def sized(before: int, now: int) -> str:
    return f"tensor 'x' size mismatch at index 1. expected {before}, actual {now}"


def compiles(*keys: int) -> tuple[Compile, ...]:
    """For 17, 11 and 19 words, where the cache has ``keys`` of the first two, one after another."""
    first, second, third = keys
    return (
        compiled(0, guards=tree(absent(first))),
        compiled(1, sized(17, 11), guards=tree(holds(1), item(first))),
        compiled(2, sized(11, 19), guards=tree(holds(2), item(first), item(second))),
        compiled(3, sized(19, 11), guards=tree(of_class(), item(third))),
    )


@pytest.mark.parametrize(
    "keys",
    [(17, 11, 11), (16, 10, 10), (34, 22, 22)],
    ids=["its sizes", "all less by one", "a multiple"],
)
def test_a_cache_by_length_is_the_cause_of_the_recompiles_for_a_length(
    keys: tuple[int, int, int],
) -> None:
    (found,) = explained(*compiles(*keys)).diagnosis.findings

    assert (found.code, found.compile_ids) == ("CA711", ("0/1", "0/2", "0/3"))
    assert "`self.rotary.cache`" in found.message
    assert "a buffer" in found.fix
    assert found.noticed_at is not None
    assert (found.noticed_at.file, found.noticed_at.line) == ("/work/train.py", 7)


@pytest.mark.parametrize("keys", [(1, 3, 3), (0, 1, 1)], ids=["of tasks", "of heads"])
def test_a_dictionary_by_something_else_is_no_cause_of_a_length(
    keys: tuple[int, int, int],
) -> None:
    (found,) = explained(*compiles(*keys)).diagnosis.findings

    assert found.code == "CA102"


def test_items_that_are_always_there_do_not_follow_a_length() -> None:
    # GIVEN two heads, called by their numbers, which differ as the two lengths do
    heads = tree(of_class(), item(0), item(1))
    (found,) = explained(
        compiled(0, guards=heads),
        compiled(1, sized(16, 17), guards=heads),
    ).diagnosis.findings

    assert found.code == "CA102"


def test_the_compile_that_dynamo_gave_up_is_for_the_same_size() -> None:
    found = explained(*compiles(17, 11, 11), compiled(4, sized(11, 23))).diagnosis.findings

    assert [one.code for one in found] == ["CA711"]
    assert found[0].compile_ids == ("0/1", "0/2", "0/3", "0/4")
