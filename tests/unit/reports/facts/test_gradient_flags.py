"""What `requires_grad` of an argument differs for."""

from __future__ import annotations

from typing import Any

import pytest

from ca_reports.facts.gradient_flags import gradient_flag
from ca_reports.held import RecordedGuards
from ca_reports.model import Compile
from tests.unit.reports.rules.recompiled import compiled, explained

MISMATCH = "tensor '{}' requires_grad mismatch. expected requires_grad={}"
PARAMETER = "torch.nn.parameter.Parameter"


def tensor(identity: int | None, kind: str = "torch.Tensor") -> dict[str, Any]:
    return {"type": kind, "shape": [4], "identity": identity}


def given(gradients: bool | None, **arguments: dict[str, Any]) -> RecordedGuards:
    return RecordedGuards.from_record({"arguments": arguments, "gradients": gradients})


def of(held: RecordedGuards | None) -> Compile:
    return Compile("0/0", 0, None, 1, None, held=held)


@pytest.mark.parametrize(
    ("was", "came", "gradients", "expected"),
    [
        # One tensor, frozen in between; two that nothing differentiates; a parameter and a copy.
        (tensor(3), tensor(3), True, "switched"),
        (tensor(3, PARAMETER), tensor(4, PARAMETER), False, "unused"),
        (tensor(3, PARAMETER), tensor(4), True, "parameter"),
        (tensor(3), tensor(4, PARAMETER), None, "parameter"),
        # The first layer's data, and what it makes of them.
        (tensor(3), tensor(4), True, "passed"),
        (tensor(None), tensor(None), True, "passed"),
    ],
)
def test_the_tensors_tell_it(
    was: dict[str, Any], came: dict[str, Any], gradients: bool | None, expected: str
) -> None:
    assert gradient_flag("x", of(given(True, x=was)), of(given(gradients, x=came))) == expected


def test_without_the_arguments_it_is_unknown() -> None:
    known = of(given(True, x=tensor(1)))
    assert gradient_flag("x", None, known) == "unknown"
    assert gradient_flag("x", of(None), known) == "unknown"
    assert gradient_flag("y", known, known) == "unknown"


def test_tensors_that_a_plan_freezes_are_one_cause() -> None:
    # GIVEN three tensors of an optimizer, whose flags are switched one after the other
    parts = {name: tensor(at) for at, name in enumerate(("scene", "lens", "shift"))}
    compiles = [compiled(0, arguments=parts)]
    for number, name in enumerate(("lens", "shift", "scene"), 1):
        reason = MISMATCH.format(name, int(name == "scene"))
        earlier = [MISMATCH.format("lens", 0)] * (number - 1)
        compiles.append(compiled(number, reason, *earlier, arguments=parts))
    (found,) = explained(*compiles).diagnosis.findings
    assert (found.code, found.count, found.key) == ("CA708", 3, "requires_grad")
    assert "these tensors" in found.fix
    assert "set the `.grad` of what is to stay frozen to None" in found.fix


def test_what_no_call_differentiates_is_detached() -> None:
    live, average = (
        compiled(0, arguments={"now": tensor(1, PARAMETER)}),
        compiled(1, MISMATCH.format("now", 1), arguments={"now": tensor(2, PARAMETER)}),
    )
    held = given(False, now=tensor(2, PARAMETER))
    average = Compile(
        average.compile_id, 0, None, 1, None, recompile_reason=average.recompile_reason, held=held
    )
    (found,) = explained(live, average).diagnosis.findings
    assert "`now.detach()` in every call" in found.fix
    assert "requires_grad_()" not in found.fix
