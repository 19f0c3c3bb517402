"""Recompiles that a program cannot do without."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ca_reports.run.compiler_settings import CompilerSettings
from ca_reports.run.model import Compile
from tests.unit.reports.causes.rules.captured import (
    captures,
    findings,
    graph,
    leaf,
    node,
    ran,
    recompile,
)
from tests.unit.reports.causes.rules.helpers_called import (
    ATTENTION,
    FIRST,
    NET,
    RANK,
    SCRIPT,
    Call,
    called,
    found_in,
)
from tests.unit.reports.causes.rules.recompiled import compiled, explained, tree
from tests.unit.reports.facts.test_selecting import on_parameter

SIZE = "tensor 'x' size mismatch at index 0. expected {}, actual {}"


def test_a_place_that_is_called_again_with_something_else_is_another_cause() -> None:
    found = found_in(
        FIRST,
        called(1, [SCRIPT, ("forward", 23, ATTENTION)], (4, 2, 8, 8), RANK.format(3, 4)),
        called(2, [SCRIPT, ("forward", 20, ATTENTION)], (3, 8, 16), SIZE.format(4, 3)),
    )
    assert found == {"CA720": ("0/1",), "CA101": ("0/2",)}


@pytest.mark.parametrize(
    ("first", "again"),
    [
        # The same place, whose argument has another rank in a later step.
        (FIRST, [SCRIPT, ("forward", 20, ATTENTION)]),
        # A script that calls the helper on two lines: no model leads to both.
        (called(0, [("main", 30, None)], (4, 8, 16)), [("main", 31, None)]),
        # One module's step of training and that of its evaluation.
        (
            called(0, [SCRIPT, ("training_step", 50, NET)], (4, 8, 16)),
            [SCRIPT, ("validation_step", 60, NET)],
        ),
        # The model is called on two lines of the script.
        (FIRST, [("<module>", 44, None), ("forward", 23, ATTENTION)]),
        # An earlier recording did not say what led to a first compile.
        (called(0, None, (4, 8, 16)), [SCRIPT, ("forward", 23, ATTENTION)]),
        (FIRST, None),
    ],
)
def test_near_misses_are_told_as_what_they_are(first: Compile, again: list[Call] | None) -> None:
    found = found_in(first, called(1, again, (4, 2, 8, 8), RANK.format(3, 4)))
    assert found == {"CA709": ("0/1",)}


def test_a_guard_on_the_module_itself_is_its_own_cause() -> None:
    again = called(
        1, [SCRIPT, ("forward", 23, ATTENTION)], (4, 8, 16), "self.calls == 0",
        self={"type": "Norm", "identity": 7},
    )  # fmt: skip
    assert found_in(FIRST, again) == {"CA704": ("0/1",)}


@pytest.mark.parametrize(
    ("through", "told"),
    [
        ([SCRIPT, ("fit", 19, None)], "each of 2 modules that share its code"),
        ([SCRIPT, ("forward", 11, NET)], "each of 2 places of a model"),
    ],
)
def test_modules_that_no_module_calls_are_no_places_of_a_model(
    through: list[Call], told: str
) -> None:
    # GIVEN a model for each number of columns, each compiled and trained by one function
    wider = SIZE.format(2, 3).replace("index 0", "index 1")
    first = called(0, through, (20, 2), self={"type": "Probe", "identity": 7})
    other = called(1, through, (20, 3), wider, self={"type": "Probe", "identity": 8})

    (found,) = explained(first, other).diagnosis.findings

    assert (found.code, found.compile_ids) == ("CA720", ("0/1",))
    assert told in found.message


def test_a_module_that_is_compiled_apart_is_a_place_of_its_own() -> None:
    # GIVEN two compiled modules of one class, which their model calls on one line
    through = [SCRIPT, ("forward", 11, NET)]
    first = called(0, through, (4, 8, 16), self={"type": "Norm", "identity": 7})
    other = called(
        1, through, (4, 2, 8, 8), RANK.format(3, 4), self={"type": "Norm", "identity": 8}
    )
    assert found_in(first, other) == {"CA720": ("0/1",)}

    # WHEN it is the same one instead, it is called with something else
    same = called(1, through, (4, 2, 8, 8), RANK.format(3, 4), self={"type": "Norm", "identity": 7})
    assert found_in(first, same) == {"CA709": ("0/1",)}


def test_the_file_of_a_place_tells_it_too() -> None:
    held = FIRST.held
    assert held is not None
    (script, inner) = held.stack
    moved = replace(held, stack=(script, replace(inner, file="/work/other.py")))
    again = called(1, [SCRIPT, ("forward", 20, ATTENTION)], (4, 2, 8, 8), RANK.format(3, 4))
    assert found_in(replace(FIRST, held=moved), again) == {"CA709": ("0/1",)}


@pytest.mark.parametrize(
    "source",
    [
        "self._modules['conv']._parameters['bias']",
        "self.weight",  # computed before each call, as by `weight_norm`
    ],
)
def test_blocks_of_other_sizes_that_are_compiled_one_by_one_are_places_of_their_own(
    source: str,
) -> None:
    # GIVEN two blocks of one class, of which the second has other parameters for a like input
    through = [SCRIPT, ("forward", 11, NET)]
    first = called(0, through, (4, 8, 16), self={"type": "Block", "identity": 7})
    other = called(
        1, through, (4, 8, 16), self={"type": "Block", "identity": 8},
        reason=f"tensor '{source}' size mismatch at index 0. expected 16, actual 32",
    )  # fmt: skip
    assert found_in(first, other) == {"CA720": ("0/1",)}


def test_a_module_is_compared_with_its_own_earlier_compile() -> None:
    # GIVEN two blocks, of which only the first gets data without a gradient, and a short batch
    through = [SCRIPT, ("forward", 11, NET)]
    first, second = ({"type": "Block", "identity": number} for number in (7, 8))
    gradient = "tensor 'x' requires_grad mismatch. expected requires_grad={}"

    def short(number: int, reason: str, own: dict[str, Any]) -> Compile:
        return replace(
            called(number, through, (3, 8), reason, self=own),
            recompile_reason=reason,
        )

    found = found_in(
        called(0, through, (4, 8), self=first),
        called(1, through, (4, 8), gradient.format(0), self=second),
        short(2, f"0/1: {gradient.format(1)}\n0/0: {SIZE.format(4, 3)}", first),
        short(3, f"0/2: {gradient.format(0)}\n0/1: {SIZE.format(4, 3)}", second),
    )

    # THEN the second's compile for the short batch is of that, not of what the first is given
    assert found == {"CA101": ("0/2", "0/3"), "CA708": ("0/1",)}


def test_modules_that_torchs_own_container_calls_are_places_of_their_own() -> None:
    # GIVEN the blocks of an nn.Sequential, whose forward is no frame of the program
    through = [SCRIPT, ("main", 11, None)]
    found = found_in(
        called(0, through, (4, 8), self={"type": "Block", "identity": 7}),
        called(1, through, (2, 4, 8), RANK.format(2, 3), self={"type": "Block", "identity": 8}),
    )
    assert found == {"CA720": ("0/1",)}


def test_what_only_differs_in_requires_grad_is_no_place_of_its_own() -> None:
    # GIVEN two blocks compiled one by one, of which the first gets what needs no gradient
    through = [SCRIPT, ("main", 11, None)]
    gradient = "tensor 'x' requires_grad mismatch. expected requires_grad=0"
    found = found_in(
        called(0, through, (4, 8), self={"type": "Block", "identity": 7}),
        called(1, through, (4, 8), gradient, self={"type": "Block", "identity": 8}),
    )
    assert found == {"CA708": ("0/1",)}


def test_a_place_with_another_rank_is_one_of_its_own_whichever_guard_torch_names() -> None:
    # GIVEN a norm of a layer's input and one of its queries, which need gradients and have 4
    # dimensions: torch names the first guard that failed
    through = [SCRIPT, ("forward", 23, ATTENTION)]
    gradient = "tensor 'x' requires_grad mismatch. expected requires_grad=0"
    assert found_in(FIRST, called(1, through, (4, 2, 8, 8), gradient)) == {"CA720": ("0/1",)}
    assert found_in(FIRST, called(1, through, (4, 8, 16), gradient)) == {"CA708": ("0/1",)}


def test_what_only_differs_in_its_class_is_no_place_of_its_own() -> None:
    # GIVEN a helper that one method of a module calls for a parameter, and then for its buffer
    kind = "expected type of 'x' to be a tensor type, ' but found <class 'torch.Tensor'>"
    found = found_in(
        called(0, [SCRIPT, ("normalise", 20, 7)], (4, 8)),
        called(1, [SCRIPT, ("normalise", 21, 7)], (4, 8), kind),
    )
    assert found == {"CA707": ("0/1",)}


def sequential(number: int, module: int, sizes: str, *reasons: str) -> Compile:
    """A compile of torch's own `Sequential.forward` for a module with parameters of ``sizes``."""
    own = {"fn": {"type": "torch.nn.modules.container.Sequential", "identity": module}}
    return compiled(number, *reasons, arguments=own, guards=tree(on_parameter("L['fn']", sizes)))


def test_two_modules_of_one_class_and_other_sizes_are_each_compiled_once() -> None:
    # GIVEN a generator and a discriminator, both `nn.Sequential`: the second is given other sizes
    size = "tensor 'args[0]' size mismatch at index 1. expected 4, actual 8"
    found = explained(sequential(0, 1, "16, 4"), sequential(1, 2, "16, 8", size))

    # THEN the second's first compile is expected, and nobody is told to pad
    (use,) = found.diagnosis.findings
    assert (use.code, use.is_note) == ("CA720", True)
    assert "each of 2 modules that share its code" in use.message
    assert found.summary.avoidable == 0


def test_a_module_of_the_same_sizes_or_one_met_again_is_no_first_compile() -> None:
    size = "tensor 'args[0]' size mismatch at index 0. expected 4, actual 8"
    for second in (sequential(1, 2, "16, 4", size), sequential(1, 1, "16, 8", size)):
        codes = {
            one.code for one in explained(sequential(0, 1, "16, 4"), second).diagnosis.findings
        }
        assert "CA720" not in codes


def test_what_a_limit_refused_is_no_first_compile_of_a_module() -> None:
    size = "tensor 'args[0]' size mismatch at index 1. expected 4, actual 8"
    refused = replace(
        sequential(2, 3, "2, 2", size, size), fail_reason="Dynamo recompile limit exceeded"
    )
    found = explained(sequential(0, 1, "16, 4"), sequential(1, 2, "16, 8", size), refused)
    assert "CA720" not in {one.code for one in found.diagnosis.findings}


def test_models_made_one_after_another_share_the_graphs_that_one_code_may_have() -> None:
    # GIVEN a search over hidden sizes, whose ten models of one class reach the limit
    through = [SCRIPT, ("trial", 25, None)]
    size = "tensor 'self._modules['inp']._parameters['bias']' size mismatch at index 0. expected 4"
    models = [
        called(at, through, (4, 8), *([f"{size}, actual {4 + at}"] if at else ()),
               self={"type": "Net", "identity": 7 + at})
        for at in range(9)
    ]  # fmt: skip
    models[-1] = replace(models[-1], fail_reason="Dynamo recompile limit exceeded")

    (finding,) = explained(*models).diagnosis.findings

    # THEN they are no places of one model, and they are told apart by a reset, not by nothing
    assert (finding.code, finding.severity, finding.is_note) == ("CA720", "warning", False)
    assert "each of 9 modules that share its code" in finding.message
    assert "torch.compiler.reset()" in finding.fix


@pytest.mark.parametrize("failed", ["", "FailOnRecompileLimitHit"])
def test_models_of_other_depth_do_not_grow(failed: str) -> None:
    # GIVEN ten models of one class and another depth each, up to the limit, which may be an error
    through = [SCRIPT, ("trial", 25, None)]
    models = [
        called(at, through, (4, 8),
               *([f"len(self._modules['layers']._modules) == {at}"] if at else ()),
               self={"type": "Net", "identity": 7 + at})
        for at in range(9)
    ]  # fmt: skip
    models[-1] = replace(
        models[-1], fail_reason="Dynamo recompile limit exceeded", fail_type=failed or None
    )

    (finding,) = explained(*models).diagnosis.findings

    assert (finding.code, finding.severity) == ("CA720", "warning")
    assert "each of 9 modules that share its code" in finding.message
    assert "torch.compiler.reset()" in finding.fix


def test_one_model_that_gets_longer_grows() -> None:
    through = [SCRIPT, ("trial", 25, None)]
    longer = [
        called(at, through, (4, 8),
               *([f"len(self._modules['layers']._modules) == {at}"] if at else ()),
               self={"type": "Net", "identity": 7})
        for at in range(4)
    ]  # fmt: skip
    assert [one.code for one in explained(*longer).diagnosis.findings] == ["CA710"]


@pytest.mark.parametrize("guard", ["len(past.keys) == 1", "not past.keys"])
def test_a_list_that_each_place_fills_is_no_place_of_its_own(guard: str) -> None:
    # GIVEN layers that are compiled one by one and append to a list of what all are given
    through = [SCRIPT, ("forward", 11, NET)]
    past = {"type": "Past"}
    first = called(0, through, (4, 8), self={"type": "Layer", "identity": 7}, past=past)
    other = called(1, through, (4, 8), guard, self={"type": "Layer", "identity": 8}, past=past)

    # THEN it is the list that is to be changed, in all of them
    assert found_in(first, other) == {"CA710": ("0/1",)}


@pytest.mark.parametrize(("second", "severity"), [(8, "info"), (7, "warning"), (None, "warning")])
def test_a_kind_that_each_module_keeps_is_compiled_once(second: int | None, severity: str) -> None:
    kind = "self.kind == 'full'"
    (found,) = explained(
        compiled(0, arguments={"self": {"type": "Layer", "identity": 7}}),
        compiled(
            1, kind, held={"type": "str", "value": "sliding"},
            arguments={"self": {"type": "Layer", "identity": second}},
        ),
    ).diagnosis.findings  # fmt: skip
    assert (found.code, found.severity) == ("CA703", severity)


LENGTH = "tensor 'sizes[0]' size mismatch at index 1. expected {}, actual {}"


def of_lengths(*recompiles: Compile, steps: int = 4) -> list[tuple[str, str, tuple[str, ...]]]:
    """Return code, severity and compiles of what is found where a captured graph got lengths."""
    (made,) = captures(graph(node("AddmmBackward0"), leaf("weight")))
    found = findings((made,), recompiles, backwards=ran(*[0] * steps))
    return [(one.code, one.severity, one.compile_ids) for one in found]


def test_a_backward_that_serves_all_sizes_since_one_compile_has_lost_nothing() -> None:
    dynamic = replace(recompile(1, LENGTH.format(9, 14)), time=1.1)
    assert of_lengths(dynamic) == [("CA102", "info", ("!0/0/1",))]
    # Where no backward followed, nobody knows whether it serves another.
    assert of_lengths(dynamic, steps=2) == [("CA102", "warning", ("!0/0/1",))]
    # dynamic=False compiles for each size.
    static = replace(dynamic, settings=CompilerSettings(sizes="static"))
    assert of_lengths(static) == [("CA102", "warning", ("!0/0/1",))]
    third = replace(recompile(2, LENGTH.format(14, 11)), time=2.1)
    assert of_lengths(dynamic, third) == [("CA102", "warning", ("!0/0/1", "!0/0/2"))]
