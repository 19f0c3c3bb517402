"""Guards that fail because the step is of another kind, and the one of them that is the cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.reports.causes.rules.recompiled import compiled, explained, on_tensor, tree

if TYPE_CHECKING:
    from ca_reports.logs.stored import StoredText

_KEYS = "DispatchKeySet(CPU, BackendSelect, ADInplaceOrView, AutogradCPU)"


def on_parameter(source: str, size: str) -> str:
    return (
        f"TENSOR_MATCH: check_tensor({source}._parameters['weight'], Parameter, {_KEYS}, "
        f"torch.float32, device=None, requires_grad=True, size=[{size}], stride=[32, 1])"
    )


def on_function(source: str, address: int) -> str:
    return (
        f"ID_MATCH: ___check_obj_id({source}.__code__, {address}), type=<class 'code'>"
        "  # return loss(out, target)  # train.py:6 in f"
    )


def on_number(name: str, value: object, guard: str = "EQUALS_MATCH") -> str:
    return f"{guard}: L['{name}'] == {value}  # self.heads[which](x)  # train.py:6 in f"


# Of each task the dtype and sizes of its target, and its head's.
TASKS = (("float32", "8, 1", "1, 32"), ("int64", "8", "5, 32"), ("float32", "8, 8", "8, 32"))


def by_index(which: int, *more: str, size: str = "") -> StoredText:
    dtype, target, head = TASKS[which]
    guard = "LAMBDA_GUARD" if which else "EQUALS_MATCH"
    return tree(
        on_number("which", which, guard),
        on_tensor("target", dtype, target),
        on_function(f"G['LOSSES'][{which}]", 140 + which),
        on_parameter(f"G['model']._modules['heads']._modules['{which}']", size or head),
        *more,
    )


def test_what_a_task_by_turns_brings_is_evidence_for_the_index_that_selects_it() -> None:
    # GIVEN three tasks by turns; torch names the index once, and the target's dtype once
    (found,) = explained(
        compiled(0, guards=by_index(0)),
        compiled(1, "which == 0", guards=by_index(1)),
        compiled(
            2,
            "tensor 'target' dtype mismatch. expected Long, actual Float",
            "which == 0",
            guards=by_index(2),
        ),
    ).diagnosis.findings

    # THEN one cause has all of it, with what changes because of it as its evidence
    assert (found.code, found.key, found.compile_ids) == ("CA701", "which", ("0/1", "0/2"))
    assert "`which`: 0 ↔ 1 ↔ 2, 3 values" in found.message
    told = [one.text for one in found.evidence]
    assert "also changes with it: the dtype of `target`: Float ↔ Long, 2 values" in told
    assert "also changes with it: the number of dimensions of `target`: 2 ↔ 1, 2 values" in told
    assert found.detail is not None
    assert found.detail.selects


def test_a_module_that_is_given_is_the_cause_where_no_value_selects() -> None:
    # GIVEN a head of other sizes in each call, which torch names after the target
    trees = [
        tree(
            on_tensor("target", dtype, target),
            on_parameter("L['head']._modules['linear']", head),
        )
        for dtype, target, head in TASKS
    ]
    (found,) = explained(
        compiled(0, guards=trees[0]),
        compiled(1, "tensor 'target' dtype mismatch. expected Float, actual Long", guards=trees[1]),
        compiled(
            2,
            "tensor 'target' dtype mismatch. expected Long, actual Float",
            "tensor 'target' size mismatch at index 1. expected 1, actual 8",
            guards=trees[2],
        ),
    ).diagnosis.findings

    assert (found.code, found.key, found.compile_ids) == ("CA706", "head", ("0/1", "0/2"))
    assert "call `head` outside of that" in found.fix
    assert any("the dtype of `target`" in one.text for one in found.evidence)


def test_a_given_module_of_a_size_of_one_is_no_batch_of_one() -> None:
    trees = [tree(on_parameter("L['head']", size)) for size in ("1, 32", "5, 32")]
    reason = "tensor 'head._parameters['weight']' size mismatch at index 0. expected 1, actual 5"

    (found,) = explained(
        compiled(0, guards=trees[0]), compiled(1, reason, guards=trees[1])
    ).diagnosis.findings

    assert (found.code, found.key) == ("CA706", "head")


@pytest.mark.parametrize("is_of_same_sizes", [True, False])
def test_a_selected_module_of_equal_sizes_could_be_passed_in(is_of_same_sizes: bool) -> None:
    # GIVEN heads of one size, or of several, of which an index selects one, and one loss
    trees = [
        tree(
            on_number("which", which),
            on_parameter(f"G['heads']._modules['{which}']", "4, 32" if is_of_same_sizes else size),
        )
        for which, (_, _, size) in enumerate(TASKS)
    ]
    (found,) = explained(
        compiled(0, guards=trees[0]), compiled(1, "which == 0", guards=trees[1])
    ).diagnosis.findings

    assert found.detail is not None
    assert found.detail.selects is not is_of_same_sizes


def test_a_number_that_changes_while_the_step_is_the_same_explains_nothing_else() -> None:
    # GIVEN a counter, and a target of another dtype at its second step: the same work in both
    trees = [
        tree(on_number("n", n), on_tensor("target", dtype, "8"), on_function("G['loss']", 140))
        for n, dtype in enumerate(("float32", "float64", "float32"))
    ]
    found = explained(
        compiled(0, guards=trees[0]),
        compiled(1, "tensor 'target' dtype mismatch. expected Float, actual Double",
                 guards=trees[1]),
        compiled(2, "n == 1", "n == 0", guards=trees[2]),
    ).diagnosis.findings  # fmt: skip

    assert {one.code for one in found} == {"CA701", "CA708"}


def test_a_number_with_several_values_in_one_kind_of_step_does_not_select_it() -> None:
    # GIVEN tasks by turns, which a counter passes twice
    trees = [
        tree(
            on_number("n", n),
            on_tensor("target", TASKS[n % 2][0], "8"),
            on_function("G['LOSSES'][%d]" % (n % 2), 140 + n % 2),  # noqa: UP031
        )
        for n in range(3)
    ]
    found = explained(
        compiled(0, guards=trees[0]),
        compiled(1, "tensor 'target' dtype mismatch. expected Float, actual Long",
                 guards=trees[1]),
        compiled(2, "n == 1", "n == 0", guards=trees[2]),
    ).diagnosis.findings  # fmt: skip

    assert "CA708" in {one.code for one in found}


def test_numbers_that_keep_their_distance_are_one_change() -> None:
    # GIVEN both ends of a window that slides: torch names the one or the other
    trees = [tree(on_number("first", first), on_number("last", first + 4)) for first in range(3)]
    (found,) = explained(
        compiled(0, guards=trees[0]),
        compiled(1, "last == 4", guards=trees[1]),
        compiled(2, "first == 1", "last == 4", guards=trees[2]),
        compiled(
            3,
            "first == 2",
            "first == 1",
            "last == 4",
            fail_reason="Dynamo recompile limit exceeded",
        ),
    ).diagnosis.findings

    # THEN the one that torch names in most recompiles has all of them
    assert (found.key, found.compile_ids) == ("last", ("0/1", "0/2", "0/3"))
    assert any(one.text.startswith("also changes with it: `first`: ") for one in found.evidence)


def test_numbers_that_go_their_own_ways_are_two_changes() -> None:
    trees = [
        tree(on_number("first", first), on_number("last", last))
        for first, last in ((0, 4), (1, 5), (2, 9))
    ]
    found = explained(
        compiled(0, guards=trees[0]),
        compiled(1, "last == 4", guards=trees[1]),
        compiled(2, "first == 1", "last == 4", guards=trees[2]),
    ).diagnosis.findings

    assert {one.key for one in found} == {"first", "last"}


def test_the_line_of_what_selects_is_the_one_that_torchs_reason_names() -> None:
    # GIVEN an index that torch's reason names for an older compile, with the user's stack
    reason = (
        "which == 0  # return self._modules[key]  # nn/modules/container.py:368 in at\n"
        'User stack trace:\n  File "/work/train.py", line 6, in f\n    heads[which](x)'
    )
    (found,) = explained(
        compiled(0, guards=by_index(0)),
        compiled(1, reason, guards=by_index(1)),
        compiled(
            2,
            "tensor 'target' dtype mismatch. expected Long, actual Float",
            reason,
            guards=by_index(2),
        ),
    ).diagnosis.findings

    assert found.noticed_at is not None
    assert (found.noticed_at.file, found.noticed_at.line) == ("/work/train.py", 6)
