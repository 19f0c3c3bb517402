"""What the rules on failed guards have in common."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from ca_reports.run.model import Frame
from tests.unit.reports.causes.rules.recompiled import compiled, explained, held_number

if TYPE_CHECKING:
    from ca_reports.run.model import Compile

OWN_LINE = "  # return x * t  # train.py:5 in f"


def test_values_are_told_in_order_with_their_pattern() -> None:
    # GIVEN a float that is another one at each recompile
    (found,) = explained(
        compiled(0),
        compiled(1, f"t == 1.0{OWN_LINE}", held=held_number(0.9)),
        compiled(2, f"t == 0.9{OWN_LINE}", held=held_number(0.09000000000000001)),
    ).diagnosis.findings

    # THEN it is named with its values, at the line that the guard quotes
    assert found.code == "CA702"
    assert found.message.startswith("`t`: 1.0 → 0.9 → 0.09, a new value each time: 2 recompiles")
    assert found.key == "t"
    assert found.noticed_at is not None
    assert (found.noticed_at.file, found.noticed_at.line) == ("/work/train.py", 5)


def test_what_a_function_of_torchs_is_given_is_the_users() -> None:
    # GIVEN `torch.compile(flex_attention)` with a mask whose closure has another window, and a
    # score that reads a global of the script's
    file = "/venv/lib/python3.11/site-packages/torch/nn/attention/flex_attention.py"
    inside = Frame(file, 9, "flex_attention", "")
    closure = (
        "block_mask.mask_mod.__closure__[0].cell_contents == 16  # return q - kv < window  "
        '# train.py:5 in mask (HINT: guard on "window")'
    )
    for guard, name in ((closure, "window"), ("G['__import___main__'].bias == 1.5", "bias")):
        compiles = (compiled(0), compiled(1, guard, held=held_number(3)))
        (found,) = explained(
            *(replace(one, location=inside) for one in compiles)
        ).diagnosis.findings
        assert found.severity == "warning"
        assert f"{name}`" in found.message
        assert "torch's own" not in found.fix
    (own,) = explained(
        *(replace(one, location=inside) for one in (compiled(0), compiled(1, "self.calls == 16")))
    ).diagnosis.findings
    assert "torch's own" in own.fix


OPTIMIZER = "/venv/lib/python3.11/site-packages/torch/optim/optimizer.py"
STEP = "args[0].state[list(dict.keys(args[0].state))[0]]['step']"


def stepped(number: int, *guards: str, of: str = "optim.Nadam", **fields: Any) -> Compile:
    """A compile of an optimizer's step, which torch's wrapper begins."""
    step = compiled(number, *guards, arguments={"args[0]": {"type": of}}, **fields)
    return replace(step, code=Frame(OPTIMIZER, 509, "wrapper", ""))


@pytest.mark.parametrize("file", ["proj/optim.py", "optim/nadam.py"])
def test_the_step_of_the_users_optimizer_is_the_users(file: str) -> None:
    # GIVEN an optimizer of the user's that counts its steps with a Python number
    counts = [
        f"{STEP} == {count}  # c1 = 1 - beta ** step  # {file}:33 in _update" for count in (1, 2)
    ]
    (found,) = explained(
        stepped(0), stepped(1, counts[0]), stepped(2, counts[1])
    ).diagnosis.findings

    # THEN it is a loss, and what to do is said
    assert (found.code, found.severity) == ("CA701", "warning")
    assert not found.fix.startswith("nothing")
    assert "keep `step` in the optimizer's state as a tensor" in found.fix


def test_what_torch_s_own_optimizer_does_once_is_its_own() -> None:
    once = f"{STEP} == 1  # if step == 1:  # optim/adam.py:33 in _update"
    adam = "torch.optim.adam.Adam"
    (found,) = explained(stepped(0, of=adam), stepped(1, once, of=adam)).diagnosis.findings
    assert (found.severity, found.fix[:26]) == ("info", "nothing: it is torch's own")
    # What goes on changing is not what a first step makes.
    again = once.replace("== 1  #", "== 2  #")
    (found,) = explained(
        stepped(0, of=adam), stepped(1, once, of=adam), stepped(2, again, of=adam)
    ).diagnosis.findings
    assert found.severity == "warning"


def test_the_first_step_of_any_optimizer_makes_its_state() -> None:
    empty = "not args[0].state  # state = self.state[p]  # proj/optim.py:13 in _state"
    (found,) = explained(stepped(0), stepped(1, empty)).diagnosis.findings
    assert (found.code, found.severity) == ("CA710", "info")
    assert found.fix.startswith("nothing: an optimizer's first step makes its state")


def test_the_limit_is_said_with_its_cause() -> None:
    # GIVEN a process without captures whose function Dynamo gave up
    limit = "recompile_limit reached"
    (found,) = explained(
        compiled(0),
        compiled(1, "task == 'a'"),
        compiled(2, "task == 'b'", fail_reason=limit),
    ).diagnosis.findings

    assert found.code == "CA703"
    assert "1 recompile of `f`; then it hit recompile_limit and has run uncompiled since" in (
        found.message
    )


def test_what_only_met_the_limit_is_no_recompile() -> None:
    found = explained(
        compiled(0),
        compiled(1, "n == 1", held=held_number(2)),
        compiled(2, "task == 'b'", "n == 1", fail_reason="recompile_limit reached"),
    ).diagnosis.findings
    (mode,) = (one for one in found if one.code == "CA703")
    assert "`f` hit recompile_limit and has run uncompiled since" in mode.message
    assert "0 recompiles" not in mode.message


@pytest.mark.parametrize(
    ("guard", "severity"),
    [
        ("len(self._seen) == 2", "info"),
        ("G['CALLS'] == 2", "info"),
        # The user passes these, sets them, or has an option of Dynamo's for them.
        ("logits_to_keep == 0", "warning"),
        ("len(self.config.layers) == 2", "warning"),
        ("self.calls == 0", "warning"),
    ],
)
def test_what_is_a_library_s_own_is_only_worth_knowing(guard: str, severity: str) -> None:
    inside = Frame("/venv/lib/python3.11/site-packages/zoo/model.py", 4, "forward", "")
    compiles = [replace(one, location=inside) for one in (compiled(0), compiled(1, guard))]

    (found,) = explained(*compiles).diagnosis.findings

    assert found.severity == severity
    assert ("zoo's own" in found.fix) == (severity == "info")


def test_a_second_optimizer_in_compiled_code_is_said_to_cost_one_compile() -> None:
    file = "/venv/lib/python3.11/site-packages/torch/optim/adam.py"
    step = Frame(file, 214, "step", "")
    again = "___check_obj_id(self, 140502391284368), type=<class 'torch.optim.adam.Adam'>"
    (found,) = explained(
        *(replace(one, code=step) for one in (compiled(0), compiled(1, again)))
    ).diagnosis.findings
    assert (found.code, found.severity) == ("CA706", "info")
    assert "each optimizer that is stepped in compiled code is compiled once" in found.fix
