"""The rules on hooks, each on small graphs and guards."""

from __future__ import annotations

from typing import Any

from ca_reports.causes.findings import ToggledHooks
from tests.unit.reports.causes.rules.captured import (
    LEAF,
    annealed,
    captures,
    findings,
    graph,
    hook,
    hooked,
    leaf,
    node,
    stock,
)


def test_a_toggled_hook_is_named_and_located() -> None:
    (found,) = findings(captures(hooked(), hooked(hook("clip"))))
    assert (found.code, found.confidence) == ("CA301", "high")
    assert "tensor hook `clip` on head.weight" in found.message
    assert found.location is not None
    assert (found.location.file, found.location.line) == ("hooks.py", 3)


def test_however_many_hooks_come_at_once_it_is_the_same_finding() -> None:
    keys = set()
    for number in (1, 9):
        owners = [
            leaf(f"layers.{index}.weight", hook_list=[hook("clip")]) for index in range(number)
        ]
        plain = [leaf(f"layers.{index}.weight") for index in range(number)]
        (found,) = findings(captures(graph(node("T"), *plain), graph(node("T"), *owners)))
        keys.add((found.code, found.key))
    assert keys == {("CA301", "tensor_pre_hook clip")}


def test_retain_grad_is_called_by_its_name() -> None:
    retained = {**hook("x", kind="cpp_tensor_pre_hook"), "name": None, "file": None}
    (found,) = findings(captures(hooked(), hooked(retained)))
    assert found.code == "CA301"
    assert "retain_grad()" in found.message


def test_a_hook_that_comes_in_the_step_in_which_a_number_changes_is_a_cause_of_its_own() -> None:
    # GIVEN three recaptures for an exponent, in the first of which a hook came as well
    made = captures(
        annealed(2.0), annealed(2.5, hook("clip")), annealed(3.0, hook("clip")),
        annealed(3.5, hook("clip")),
    )  # fmt: skip

    # THEN that one is the hook's: with the exponent mended it would still be there
    found = {one.code: one for one in findings(made)}
    assert {code: one.captures for code, one in found.items()} == {
        "CA206": ("!2", "!3"),
        "CA301": ("!1",),
    }
    assert not any(one.is_shared for one in found.values())
    assert found["CA301"].other_rules == ()


def test_a_layer_that_runs_for_the_first_time_is_one_cause() -> None:
    # Its parameters have no gradient yet, which is no cause beside it.
    made = captures(
        graph(leaf("a.weight", grad=True)),
        graph(leaf("a.weight", grad=True), node("AddmmBackward0"), leaf("b.weight")),
    )
    assert [found.code for found in findings(made)] == ["CA202"]


def test_hooks_that_pile_up_are_a_leak() -> None:
    made = captures(*(hooked(*[hook("scale")] * number) for number in (1, 2, 3)))
    (found,) = findings(made)
    assert (found.code, found.count) == ("CA302", 2)
    assert "1 → 2 → 3 hooks" in found.message
    assert ".remove()" in found.fix


def test_a_second_hook_of_another_function_is_no_leak() -> None:
    made = captures(hooked(hook("scale")), hooked(hook("scale"), hook("clip", line=9)))
    assert [found.code for found in findings(made)] == ["CA301"]


def test_hooks_that_come_and_go_are_no_leak() -> None:
    made = captures(hooked(hook("a")), hooked(hook("a"), hook("a")), hooked())
    assert "CA301" in {found.code for found in findings(made)}


def test_hooks_in_stock_logs_by_the_size_of_keys() -> None:
    toggled = findings(stock(("r", 1, ()), (LEAF, 24, (22,))), recorded=False)
    assert [(found.code, found.confidence) for found in toggled] == [("CA301", "low")]
    leaked = findings(
        stock(("r", 1, ()), (LEAF, 26, (24,)), (LEAF, 28, (24, 26)), (LEAF, 30, (24, 26, 28))),
        recorded=False,
    )
    assert [found.code for found in leaked] == ["CA302"]


def module_hook(name: str, *following: int) -> dict[str, Any]:
    """The node that torch puts at a module's output or input for a full backward hook."""
    own = {"kind": "post_hook", "index": 0, "name": f"BackwardHook.{name}.<locals>.hook"}
    return node("BackwardHookFunctionBackward", next=list(following), hooks=1, hook_list=[own])


def test_a_full_backward_hook_is_no_branch_of_the_forward() -> None:
    # GIVEN a module whose output and input have nodes for a hook in one backward
    without = graph(
        node("ReluBackward0", next=[2]), node("AddmmBackward0", next=[3, 4]),
        leaf("net.block.fc.weight"), leaf("net.first.weight"),
    )  # fmt: skip
    with_hook = graph(
        node("ReluBackward0", next=[2]), module_hook("setup_output_hook", 3),
        node("AddmmBackward0", next=[4, 5]), leaf("net.block.fc.weight"),
        module_hook("_set_user_hook", 6), leaf("net.first.weight"),
    )  # fmt: skip

    (found,) = findings(captures(without, with_hook))

    # THEN it is the hook that comes and goes, on that module and not on what is before it
    assert (found.code, found.confidence) == ("CA301", "high")
    assert found.message == "a full backward hook on `net.block.fc`: not in every backward"
    assert "keep it" in found.fix


def test_a_context_of_saved_tensors_in_some_steps_is_about_the_tensors() -> None:
    unpack = {**hook("unpack"), "kind": "unpack_hook"}
    (found,) = findings(captures(hooked(), hooked(unpack)))
    assert found.code == "CA301"
    assert found.fix.startswith("enter `saved_tensors_hooks` around the same layers in every step")
    assert isinstance(found.detail, ToggledHooks)
    assert found.detail.of_saved_tensors
