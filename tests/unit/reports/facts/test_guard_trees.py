"""The values that compiles were made for, read from their trees of guards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import ca_reports.facts.guard_trees as module
from ca_reports.facts.guard_trees import GuardTrees
from ca_reports.logs.stored import StoredText
from ca_reports.output.advice import notes
from ca_reports.run.compiler_settings import CompilerSettings
from ca_reports.run.held import RecordedGuards
from ca_reports.run.model import Compile
from tests.unit.reports.causes.rules.recompiled import (
    compiled,
    explained,
    held_number,
    on_float,
    on_tensor,
    tensor,
    tree,
)


def of_ten(number: int) -> Compile:
    tree = "".join(f"+- EQUALS_MATCH: L['x{one}'] == {number}\n" for one in range(10))
    return Compile(f"{number}/1", 0, None, 1, None, guards=StoredText.pack(tree.encode()))


def test_a_long_job_keeps_few_trees_read() -> None:
    compiles = {found.compile_id: found for found in map(of_ten, range(100))}
    trees = GuardTrees(compiles, most=50)
    whole = GuardTrees(compiles)

    for compile_id in [*compiles, *compiles]:
        found, expected = trees.of(compile_id), whole.of(compile_id)
        assert found is not None
        assert expected is not None
        assert found.numbers == expected.numbers
        assert sum(len(one.values) for one in trees._read.values()) <= 60

    assert len(whole._read) == 100
    assert module._MOST_VALUES >= 64 * 100  # all compiles of a code with a hundred values each


@pytest.mark.parametrize(
    ("entry", "edit"), [("['weight_decay']", "dynamic_numbers"), ("['betas'][0]", None)]
)
def test_an_optimizers_entry_that_is_dynamic_now_may_be_so_from_the_start(
    entry: str, edit: str | None
) -> None:
    source = f"self.param_groups[0]{entry}"
    settings = CompilerSettings("automatic", 8)
    before = f"EQUALS_MATCH: L['self'].param_groups[0]{entry} == 0.5"
    after = f"GuardManager: source=L['self'].param_groups[0]{entry}, accessed_by=x"
    (found,) = explained(
        compiled(0, guards=tree(before), settings=settings),
        compiled(
            1, f"{source} == 0.5", held=held_number(0.25), guards=tree(after), settings=settings
        ),
    ).diagnosis.findings

    assert ("compile with dynamic=True" in found.fix) is (edit is not None)
    assert (found.remedy.edit == "dynamic_numbers") is (edit is not None)


@pytest.mark.parametrize(
    ("after", "setting", "is_dynamic", "is_advised"),
    [
        ("GuardManager: source=L['n'], accessed_by=x", "automatic", True, True),
        ("GuardManager: source=L['n'], accessed_by=x", "dynamic", True, False),
        ("EQUALS_MATCH: L['n'] == 7", "automatic", False, False),
        ("GuardManager: source=L['x'], accessed_by=x", "automatic", False, False),
    ],
)
def test_one_recompile_may_make_a_number_dynamic(
    after: str, setting: Any, is_dynamic: bool, is_advised: bool
) -> None:
    settings = CompilerSettings(setting, 8)
    (found,) = explained(
        compiled(0, guards=tree("EQUALS_MATCH: L['n'] == 5"), settings=settings),
        compiled(1, "n == 5", held=held_number(7), guards=tree(after), settings=settings),
    ).diagnosis.findings

    assert found.message.endswith("no value has needed another since") is is_dynamic
    assert found.guarded_value is not None
    assert found.guarded_value.is_dynamic_now is is_advised


@pytest.mark.parametrize(
    ("demands", "outside"),
    [
        ((on_tensor("x", "float32", "4"), on_tensor("y", "float32", "4")), True),
        ((on_tensor("x", "float32", "4").replace(", ADInplaceOrView, AutogradCPU", ""),), False),
        (
            (
                on_tensor("x", "float32", "4"),
                on_tensor("y", "float32", "4").replace(", ADInplaceOrView, AutogradCPU", ""),
            ),
            None,
        ),
        # Parameters are made outside in any case.
        ((on_tensor("x", "float32", "4").replace("L['x']", "L['self'].weight"),), None),
    ],
)
def test_inputs_are_made_in_inference_mode_or_outside(
    demands: tuple[str, ...], outside: bool | None
) -> None:
    trees = GuardTrees({"0/1": replace(of_ten(0), guards=tree(*demands))})
    assert trees.has_outside_inputs("0/1") is outside
    assert trees.has_outside_inputs("0/9") is None


def test_what_a_tree_demands_is_kept_once() -> None:
    # GIVEN a thousand compiles of one code, of which each was made for another value of one thing
    numbered = "".join(f"+- EQUALS_MATCH: L['x{one}'] == {one}.5\n" for one in range(100))
    tree = [f"{numbered}+- EQUALS_MATCH: L['self'].scale == {one}\n" for one in range(1000)]
    compiles = {
        f"{one}/1": Compile(f"{one}/1", 0, None, 1, None, guards=StoredText.pack(text.encode()))
        for one, text in enumerate(tree)
    }
    trees = GuardTrees(compiles)

    # WHEN all are read
    demands = [trees.of(compile_id) for compile_id in compiles]

    # THEN what they have in common is there once, and they differ in that one value
    assert len(trees._read) == 1000
    first, last = demands[0], demands[-1]
    assert first is not None
    assert last is not None
    assert first.numbers["x7"] is last.numbers["x7"]
    assert first.distance(last) == last.distance(first) == 1
    assert first.distance(first) == 0


def test_one_tensor_that_is_two_since_is_told_beside_the_counter_that_hides_it() -> None:
    # GIVEN an augmentation that gives back its input in the first epoch, and a counter: the guard
    # on the counter fails at each call, and is looked at first
    compiles = []
    for number, other in enumerate((1, 1, 2, 3)):
        arguments = {
            name: {**tensor(8, 3), "identity": held + 10 * number}
            for name, held in (("walk", 1), ("other", other))
        }
        one = compiled(
            number,
            *([f"n == {number - 1}"] if number else []),
            guards=tree(on_float("L['n']", number)),
        )
        raw = {"guards": [], "arguments": arguments}
        compiles.append(replace(one, held=RecordedGuards.from_record(raw) if number else None))

    counter, alias = explained(*compiles).diagnosis.findings

    assert (counter.code, counter.compile_ids) == ("CA701", ("0/1", "0/2", "0/3"))
    assert (alias.code, alias.compile_ids, alias.is_shared) == ("CA714", ("0/2",), True)
    assert "`walk` and `other` are one tensor in some calls and two in others" in alias.message


def test_another_dtype_beside_the_other_rank_that_torch_names() -> None:
    # GIVEN claims with one dimension more, from a table whose features are of another dtype
    trees = [
        tree(on_tensor("rows", dtype, "16, 4"), on_tensor("more", dtype, "16"),
             on_tensor("claims", "float32", size))
        for dtype, size in (("float32", "16"), ("float64", "16, 1"))
    ]  # fmt: skip
    found = explained(
        compiled(0, guards=trees[0]),
        compiled(1, "tensor 'claims' rank mismatch. expected 1, actual 2", guards=trees[1]),
    ).diagnosis.findings

    # THEN both are found, and of the tensors that changed together one is named
    rank, dtype = sorted(found, key=lambda one: one.is_shared)
    assert (rank.code, rank.is_shared) == ("CA709", False)
    assert (dtype.code, dtype.is_shared) == ("CA708", True)
    assert "the dtype of `rows`: Float → Double" in dtype.message


@pytest.mark.parametrize(
    ("code", "source"),
    [("CA702", "L['s']"), ("CA704", "L['self'].s"), ("CA705", "G['OPTIONS']['s']")],
)
def test_a_number_that_changes_along_with_what_torch_names_is_a_cause_of_its_own(
    code: str, source: str
) -> None:
    # GIVEN a list that grows, and a float that is another one in the same recompile
    trees = [
        tree(f"LENGTH_CHECK: len(L['xs']) == {length}", on_float(source, value))
        for length, value in ((2, 0.5), (3, 0.25))
    ]
    found = explained(
        compiled(0, guards=trees[0]),
        compiled(1, "len(xs) == 2", held={"type": "list", "length": 3}, guards=trees[1]),
    ).diagnosis.findings

    # THEN torch names the list alone, and both are found; the seconds are counted once
    first, second = sorted(found, key=lambda one: one.is_shared)
    assert (first.code, first.seconds, first.compile_ids) == ("CA710", 2.0, ("0/1",))
    assert (second.code, second.compile_ids, second.is_shared) == (code, ("0/1",), True)
    assert "0.5 → 0.25" in second.message
    assert second.noticed_at is not None
    assert second.noticed_at.line == 6
    assert "another cause shows in the same compiles" in notes(second)


@pytest.mark.parametrize(
    ("reads", "codes"),
    [("L['cache'].mode", ["CA103", "CA703"]), ("L['other']", ["CA103"])],
)
def test_what_the_recorder_saw_fail_beside_is_a_cause_where_the_compile_reads_it(
    reads: str, codes: list[str]
) -> None:
    # GIVEN a last batch of one row, another mode of a cache, and another tensor's size
    beside = [
        {"text": "cache.mode == 'full'", "held": {"type": "str", "value": "cut"}},
        {"text": "tensor 'mask' size mismatch at index 0. expected 4, actual 1", "held": None},
    ]
    reason = "tensor 'tokens' size mismatch at index 0. expected 4, actual 1"
    raw = {"guards": [{"failed": "0/0", "source": "tokens", "held": None, "beside": beside}]}
    again = replace(
        compiled(1, reason, guards=tree(f"GuardManager: source={reads}, accessed_by=x")),
        held=RecordedGuards.from_record(raw),
    )

    found = explained(compiled(0, guards=tree("")), again).diagnosis.findings

    # THEN sizes are torch's to make dynamic; what else failed takes a fix of its own
    assert [one.code for one in sorted(found, key=lambda one: one.is_shared)] == codes
    if len(found) > 1:
        assert next(one for one in found if one.is_shared).message.startswith(
            "`cache.mode`: 'full' ↔ 'cut'"
        )


@pytest.mark.parametrize(
    ("reason", "held", "before", "after"),
    [
        # Torch names it as well, in another recompile: it has its finding.
        ("s == 0.5", held_number(0.25), on_float("L['s']", 0.5), on_float("L['s']", 0.25)),
        # Another mode of the function has other numbers.
        ("mode == 'a'", {"type": "str", "value": "b"},
         on_float("L['s']", 1), on_float("L['s']", 2)),
        # It is a part of what torch names.
        ("len(xs) == 2", {"type": "list", "length": 3},
         on_float("L['xs'][0]", 1), on_float("L['xs'][0]", 2)),
        # The other way through the function does not read it.
        ("n == 2", held_number(3), on_float("L['s']", 1), "LENGTH_CHECK: len(L['s']) == 1"),
    ],
)  # fmt: skip
def test_what_comes_of_the_named_change_is_no_second_cause(
    reason: str, held: Any, before: str, after: str
) -> None:
    found = explained(
        compiled(0, guards=tree(before)), compiled(1, reason, held=held, guards=tree(after))
    ).diagnosis.findings
    assert len(found) == 1


def test_an_empty_list_that_is_filled_is_no_mode_that_hides_other_causes() -> None:
    # GIVEN a list of outputs that is empty at the first call, whose number is an argument
    found = explained(
        compiled(0, guards=tree("LENGTH_CHECK: not L['self'].outputs", on_float("L['n']", 0))),
        compiled(
            1,
            "not self.outputs",
            held={"type": "list", "length": 1},
            guards=tree("LENGTH_CHECK: len(L['self'].outputs) == 1", on_float("L['n']", 1)),
        ),
    ).diagnosis.findings

    assert [(one.code, one.is_shared) for one in found] == [("CA710", False), ("CA701", True)]
