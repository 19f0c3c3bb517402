"""CA719: a compiled function that meets parameters of one shape after another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from ca_reports.output.advice import notes
from ca_reports.run.held import RecordedGuards
from tests.unit.reports.causes.rules.recompiled import (
    compiled,
    explained,
    graph,
    held_number,
    tensor,
)

if TYPE_CHECKING:
    from ca_reports.run.model import Compile

SIZE = "tensor 'g' size mismatch at index {}. expected {}, actual {}"
ON_PARAMETER = (
    ". Guard failed on a parameter, consider using "
    "torch._dynamo.config.force_parameter_static_shapes = False to allow dynamism on parameters."
)


def again(
    index: int, reason: str, *, optimizer: bool | None = True, **arguments: dict[str, Any]
) -> Compile:
    raw: dict[str, Any] = {"guards": [], "arguments": arguments, "gradients": False}
    if optimizer is not None:
        raw["optimizer"] = optimizer
    return replace(compiled(index, reason), held=RecordedGuards.from_record(raw))


def test_each_shape_of_the_parameters_is_told() -> None:
    # GIVEN a function that an optimizer's step calls with three shapes, one of them the other way
    # round: torch names a number that the code makes of the shape
    (found,) = explained(
        compiled(0, **graph(g=(48, 16))),
        again(1, SIZE.format(1, 16, 48), g=tensor(48, 48)),
        again(2, "wide == False", g=tensor(24, 48), wide=held_number(1)),
    ).diagnosis.findings

    assert (found.code, found.compile_ids) == ("CA719", ("0/1", "0/2"))
    assert "`f` is compiled for each shape of the parameters" in found.message
    assert "(48×16, 48×48, 24×48): 2 recompiles" in found.message


def test_what_else_changes_in_a_step_is_another_cause() -> None:
    # GIVEN a learning rate that is a number: the second time the shape is not new
    (rate,) = explained(
        compiled(0, **graph(g=(48, 16))),
        again(1, "t == 0.1", g=tensor(48, 16), t=held_number(0.01)),
    ).diagnosis.findings
    assert rate.code == "CA702"


@pytest.mark.parametrize("optimizer", [False, None])
def test_batches_that_vary_are_no_parameters(optimizer: bool | None) -> None:
    (found,) = explained(
        compiled(0, **graph(g=(48, 16))),
        again(1, SIZE.format(0, 48, 24), optimizer=optimizer, g=tensor(24, 16)),
    ).diagnosis.findings
    assert found.code == "CA101"


def test_a_log_of_torchs_tells_it_by_the_parameter() -> None:
    (found,) = explained(
        compiled(0, **graph(g=(48, 16))),
        compiled(1, f"tensor 'g' rank mismatch. expected 2, actual 1{ON_PARAMETER}"),
        compiled(2, SIZE.format(0, 48, 24) + ON_PARAMETER),
        recorded=False,
    ).diagnosis.findings
    assert (found.code, found.compile_ids) == ("CA719", ("0/1", "0/2"))
    assert "shape of the parameters: 2 recompiles" in found.message


def test_lists_of_parameters_of_one_layer_after_another_are_given_at_once() -> None:
    # GIVEN a helper outside of any optimizer, which is called once for each layer
    text = "tensor 'fast[0]' size mismatch at index 0. expected {}, actual {}" + ON_PARAMETER
    shapes = [(8, 5), (13, 8), (21, 13)]
    first, *others = (
        {"fast[0]": {**tensor(*shape), "type": "torch.nn.Parameter"}} for shape in shapes
    )
    (found,) = explained(
        replace(compiled(0), held=RecordedGuards.from_record({"arguments": first})),
        *(
            again(at, text.format(shapes[at - 1][0], shapes[at][0]), optimizer=False, **given)
            for at, given in enumerate(others, 1)
        ),
    ).diagnosis.findings
    assert (found.code, found.compile_ids) == ("CA719", ("0/1", "0/2"))
    assert "call `f` once, with the parameters of all layers in its lists" in found.fix
    # The setting that torch names for it comes first: measured, 7 recompiles became 1.
    assert "force_parameter_static_shapes = False" in found.fix.partition("; or ")[0]
    assert found.remedy.edit == "parameter_sizes"


def swapped(*modules: int | None) -> Any:
    """The finding on a parameter of another shape, in the forwards of these modules."""
    name = "self._modules['last']._parameters['up']"
    text = f"tensor '{name}' size mismatch at index 1. expected {{}}, actual {{}}{ON_PARAMETER}"
    ranks = (4, 16, 8)
    records = [
        None
        if module is None
        else RecordedGuards.from_record(
            {"arguments": {"self": {"type": "__main__.Net", "identity": module}}}
        )
        for module in modules
    ]
    (found,) = explained(
        replace(compiled(0), held=records[0]),
        *(
            replace(compiled(at, text.format(ranks[at - 1], ranks[at])), held=records[at])
            for at in (1, 2)
        ),
    ).diagnosis.findings
    return found


def test_a_parameter_that_is_swapped_keeps_one_shape() -> None:
    found = swapped(7, 7, 7)
    assert (found.code, found.compile_ids) == ("CA719", ("0/1", "0/2"))
    assert found.message.startswith(
        "the parameter `self.last.up` has another shape each time (dimension 1: 4, 16, 8): "
    )
    assert "at least 16" in found.fix
    assert found.fix.startswith("set `torch._dynamo.config.force_parameter_static_shapes = False`")
    assert "another object" not in found.message
    assert found.subject.dimensions == (1,)


def test_a_buffer_that_forward_replaces_is_made_once_for_the_largest_size() -> None:
    # GIVEN a table that is empty at first, and longer in each of the next calls
    name = "tensor 'self._buffers['table']'"
    held = RecordedGuards.from_record(
        {"arguments": {"self": {"type": "__main__.Net", "identity": 7}}}
    )
    (found,) = explained(
        replace(compiled(0), held=held),
        replace(compiled(1, f"{name} rank mismatch. expected 1, actual 2"), held=held),
        replace(compiled(2, f"{name} size mismatch at index 0. expected 8, actual 20"), held=held),
    ).diagnosis.findings
    assert (found.code, found.compile_ids) == ("CA719", ("0/1", "0/2"))
    assert found.message.startswith(
        "the buffer `self.table` has another shape each time (dimension 0: 8, 20): 2 recompiles"
    )
    assert "for the largest size (at least 20)" in found.fix


@pytest.mark.parametrize("modules", [(7, 8, 9), (None, None, None)])
def test_the_parameter_of_another_module_is_not_swapped(modules: tuple[int | None, ...]) -> None:
    assert swapped(*modules).code == "CA706"


def given(number: int, *shape: int) -> dict[str, Any]:
    """A parameter, which is the object of that number."""
    return {**tensor(*shape), "type": "torch.nn.parameter.Parameter", "identity": number}


def begun(**arguments: dict[str, Any]) -> Compile:
    """The first compile, which was given these."""
    held = RecordedGuards.from_record({"arguments": arguments, "optimizer": False})
    return replace(compiled(0), held=held)


def updates(*parameters: dict[str, Any]) -> Any:
    """The findings of a function of the program's own, given one parameter after another."""
    first, *others = parameters
    gradients = [tensor(*one["shape"]) for one in parameters]
    text = "tensor 'g' size mismatch at index 0. expected {}, actual {}"
    return explained(
        begun(g=gradients[0], p=first),
        *(
            again(
                at,
                text.format(gradients[at - 1]["shape"][0], gradients[at]["shape"][0]),
                optimizer=False,
                g=gradients[at],
                p=one,
            )
            for at, one in enumerate(others, 1)
        ),
    ).diagnosis.findings


def test_a_function_that_is_given_each_parameter_is_given_no_batches() -> None:
    (found,) = updates(given(1, 16, 6), given(2, 8, 6), given(3, 4, 6))
    assert (found.code, found.compile_ids) == ("CA719", ("0/1", "0/2"))
    assert "each shape of the parameters (8×6, 4×6): 2 recompiles" in found.message


def test_other_sizes_beside_parameters_of_one_shape_are_data() -> None:
    # GIVEN experts that are alike, each called with the rows that are its own
    found = explained(
        begun(x=tensor(16, 6), p=given(1, 6, 6)),
        again(1, SIZE.format(0, 16, 8).replace("g", "x", 1), optimizer=False,
              x=tensor(8, 6), p=given(2, 6, 6)),
    ).diagnosis.findings  # fmt: skip
    assert "CA719" not in [one.code for one in found]


def test_a_scale_beside_what_it_scales_is_of_another_place() -> None:
    # GIVEN a norm that a layer calls with its input, and then with its queries
    found = explained(
        begun(x=tensor(2, 3, 8), p=given(1, 8)),
        again(1, "tensor 'x' requires_grad mismatch. expected requires_grad=0", optimizer=False,
              x=tensor(2, 2, 3, 4), p=given(2, 4)),
    ).diagnosis.findings  # fmt: skip
    assert "CA719" not in [one.code for one in found]


def test_the_same_parameter_with_another_shape_of_something_else_is_none_of_each() -> None:
    found = updates(given(1, 16, 6), given(1, 8, 6))
    assert "CA719" not in [one.code for one in found]


def test_a_limit_that_another_cause_reached_is_not_one_of_the_shapes() -> None:
    """Three shapes need three compiles; a rate that is a number needs one for each step."""
    shapes = [(16, 6), (8, 6), (4, 6)]
    compiles = [begun(g=tensor(16, 6), p=given(0, 16, 6))]
    compiles += [
        again(at, SIZE.format(0, shapes[at - 1][0], rows), optimizer=False,
              g=tensor(rows, 6), p=given(at, rows, 6))
        for at, (rows, _) in enumerate(shapes[1:], 1)
    ]  # fmt: skip
    compiles += [
        again(at, f"t == {0.1 * (at - 2):.1f}", optimizer=False, g=tensor(16, 6), p=given(0, 16, 6),
              t=held_number(round(0.1 * (at - 1), 1)))
        for at in range(3, 9)
    ]  # fmt: skip
    compiles[-1] = replace(
        compiles[-1], fail_type="FailOnRecompileLimitHit", fail_reason="recompile_limit reached"
    )
    found = {one.code: one for one in explained(*compiles).diagnosis.findings}
    assert next(iter(found)) == "CA702"
    assert "recompile_limit" not in found["CA719"].message
    assert not found["CA719"].remedy.edits
    assert found["CA719"].saves == 0.0
    (note,) = (one for one in notes(found["CA719"]) if "saves" in one)
    assert note == "its fix alone saves nothing: values of CA702 take its compiles"
