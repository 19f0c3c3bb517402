"""CA719: a compiled function of an optimizer's, called with one parameter after another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from ca_reports.held import RecordedGuards
from tests.unit.reports.rules.recompiled import compiled, explained, graph, held_number, tensor

if TYPE_CHECKING:
    from ca_reports.model import Compile

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
    assert "`f` is compiled for one shape of the parameters after another" in found.message
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
    assert "after another: 2 recompiles" in found.message
