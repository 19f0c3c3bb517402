"""What `requires_grad` of an argument differs for."""

from __future__ import annotations

from typing import Any

import pytest

from ca_reports.facts.gradient_flags import gradient_flag
from ca_reports.run.held import RecordedGuards
from ca_reports.run.model import Compile
from tests.unit.reports.causes.rules.recompiled import compiled, explained

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


GENERATED = {"requires_grad": True, "leaf": False, "identity": 8}


def called_at(line: int, own: int | None, **x: Any) -> Compile:
    held = RecordedGuards.from_record(
        {
            "arguments": {"x": tensor(line) | x, "self": {"type": "D", "identity": own}},
            "stack": [{"file": "/w/train.py", "line": line, "function": "main", "code": ""}],
            "gradients": True,
        }
    )
    return of(held)


def test_a_discriminator_gets_real_and_generated_samples() -> None:
    real = called_at(20, 5, requires_grad=False, leaf=True)
    generated = called_at(30, 5, requires_grad=True, leaf=False)
    assert gradient_flag("x", real, generated) == "both"
    assert gradient_flag("x", generated, real) == "both"
    # Of a function one line is no two calls, but of a module: `d(real) - d(fake)`.
    on_one = [called_at(20, 5, requires_grad=False), called_at(20, 5, **GENERATED)]
    assert gradient_flag("x", *on_one) == "both"
    function = [called_at(20, None, requires_grad=False), called_at(20, None, **GENERATED)]
    assert gradient_flag("x", *function) == "passed"
    # Two modules are layers; a leaf was asked for its gradient.
    other = called_at(30, 6, requires_grad=True, leaf=False)
    assert gradient_flag("x", real, other) == "passed"
    assert gradient_flag("x", called_at(30, 5, requires_grad=False), generated) == "switched"
    asked = called_at(30, 5, requires_grad=True, leaf=True)
    assert gradient_flag("x", real, asked) == "passed"


BIAS = "tensor 'fn._modules['0']._parameters['bias']' requires_grad mismatch. expected "


def test_a_frozen_copy_of_a_model_is_no_freeze() -> None:
    # GIVEN a student and its averaged copy, which share the code of torch's own class
    def of_module(number: int, own: int, *reasons: str) -> Compile:
        return compiled(number, *reasons, arguments={"fn": {"type": "Sequential", "identity": own}})

    teacher, student = of_module(0, 1), of_module(1, 2, f"{BIAS}requires_grad=0")
    analysis = explained(teacher, student)
    (found,) = analysis.diagnosis.findings
    assert (found.code, found.severity, found.is_note) == ("CA708", "info", True)
    assert found.fix.startswith("nothing: ")
    assert analysis.summary.inherent_recompiles == 1
    # WHEN it is the same module, its parameters were frozen or thawed
    (found,) = explained(teacher, of_module(1, 1, f"{BIAS}requires_grad=0")).diagnosis.findings
    assert (found.severity, found.key) == ("warning", "requires_grad")


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
