"""The rules on the autograd graph, each on small graphs: what they claim, and what they do not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ca_reports.logs.stored import StoredText
from tests.unit.reports.causes.rules.captured import (
    CALL,
    ROOT,
    captures,
    findings,
    graph,
    hook,
    leaf,
    linear,
    node,
    pow_by,
    root,
    stock,
)

# CA201


def test_grad_none_names_the_parameters_and_the_direction() -> None:
    (found,) = findings(captures(graph(*linear("head")), graph(*linear("head", grad=True))))
    assert (found.code, found.confidence) == ("CA201", "high")
    assert (
        found.message
        == "2 parameters (head.bias, head.weight) got their first .grad, so the graph changed"
    )
    assert "set_to_none=False" in found.fix
    assert found.location is not None
    assert found.location.line == 10


def test_captures_with_grad_and_without_are_one_finding() -> None:
    without, with_grad = graph(*linear("head")), graph(*linear("head", grad=True))
    partly = graph(*linear("head", grad=True)[:3], leaf("head.weight"))
    (found,) = findings(captures(without, with_grad, partly))
    assert (found.code, found.count) == ("CA201", 2)


def test_grad_none_of_a_new_layer_is_the_branchs_consequence() -> None:
    before = graph(*linear("head", grad=True))
    after = graph(*linear("head", grad=True), *linear("aux"))
    assert [found.code for found in findings(captures(before, after))] == ["CA202"]


# CA202


def test_branch_names_the_modules() -> None:
    one, two = graph(*linear("a")), graph(*linear("a"), *linear("layers.1"))
    (found,) = findings(captures(one, two))
    assert found.code == "CA202"
    assert found.message == "layers.1 isn't in every backward (missing in capture !0)"
    assert "layers.1" in found.fix


def test_branch_without_parameters_is_less_sure() -> None:
    relu, tanh = (graph(node(name), leaf("w")) for name in ("ReluBackward0", "TanhBackward0"))
    (found,) = findings(captures(relu, tanh))
    assert (found.code, found.confidence) == ("CA202", "medium")
    assert "TanhBackward0 replaced ReluBackward0" in found.message


def masked(*modules: str) -> list[dict[str, Any]]:
    """Layers whose weights are products with a mask: nodes 1 and 2 of each, and its leaf."""
    nodes: list[dict[str, Any]] = []
    for at, module in enumerate(modules):
        first = 1 + 3 * at
        nodes += [
            node("AddmmBackward0", next=[first + 1]),
            node("MulBackward0", next=[first + 2]),
            leaf(f"{module}.weight"),
        ]
    return nodes


def plain(*modules: str) -> list[dict[str, Any]]:
    return [
        one
        for at, module in enumerate(modules)
        for one in (node("AddmmBackward0", next=[2 + 2 * at]), leaf(f"{module}.weight"))
    ]


@pytest.mark.parametrize("begins", [True, False])
def test_what_weights_go_through_in_some_backwards_is_named(*, begins: bool) -> None:
    both = graph(*plain("fc", "head")), graph(*masked("fc", "head"))
    (found,) = findings(captures(*(both if begins else both[::-1])))
    assert (found.code, found.key, found.confidence) == (
        "CA202",
        "branch above parameters",
        "medium",
    )
    assert "2 × MulBackward0 in some backwards only, through which" in found.message
    assert "`fc.weight`, `head.weight`" in found.message


def test_what_a_parametrization_asks_for_trains_nothing_on_zeros() -> None:
    with_norm = graph(
        node("AddmmBackward0", next=[2]),
        node("WeightNormInterfaceBackward0", next=[3, 4]),
        leaf("fc.weight_g"),
        leaf("fc.weight_v"),
    )
    plain_one = graph(node("AddmmBackward0", next=[2]), leaf("fc.weight"))
    (found,) = findings(captures(plain_one, with_norm))
    assert found.key == "parametrization"
    assert "once, before the first backward" in found.fix
    assert not found.remedy.sure_effects
    assert found.remedy.edits == ("both_branches",)


def test_what_goes_through_an_activation_is_no_computed_weight() -> None:
    tanh = node("TanhBackward0", next=[2])
    weight = [node("AddmmBackward0", next=[3]), leaf("fc.weight")]
    one = graph(node("AddmmBackward0", next=[2]), leaf("fc.weight"))
    (found,) = findings(captures(one, graph(tanh, *weight)))
    assert found.key == "branch without parameters"
    assert "through which" not in found.message


def test_of_a_module_that_always_runs_the_parameter_is_named() -> None:
    kept = linear("net.head")
    one, two = graph(leaf("net.null"), *kept), graph(*linear("net.label"), *kept)
    (found,) = findings(captures(one, two))
    assert found.message == (
        "net.label, net.null aren't in every backward (net.null missing in capture !1, net.label "
        "in !0)"
    )


# CA203


def rounds(number: int) -> list[dict[str, Any]]:
    cell = [node("TanhBackward0"), node("AddBackward0"), node("AddmmBackward0")]
    return graph(*cell * number, leaf("cell.weight"))


def test_unroll_tells_how_often_the_group_is_repeated() -> None:
    (found,) = findings(captures(rounds(3), rounds(5), rounds(2)))
    assert (found.code, found.confidence, found.count) == ("CA203", "high", 2)
    assert "repeat 2, 3 or 5 times" in found.message
    assert "(at least 5)" in found.fix


def test_layers_that_are_left_out_are_no_loop() -> None:
    deep = [graph(*(each for i in range(n) for each in linear(f"l.{i}"))) for n in (3, 2, 1)]
    assert {found.code for found in findings(captures(*deep))} == {"CA202"}


def penalised(rounds: int) -> list[dict[str, Any]]:
    """The terms of ``rounds`` entries, and what their sum is multiplied by where there are any."""
    joined = [node("MulBackward0"), node("MulBackward0")] if rounds else []
    terms = [node("AddBackward0"), node("SumBackward0"), node("PowBackward0")] * rounds
    return graph(node("AddBackward0"), *joined, *terms, leaf("w"))


def test_the_first_backward_has_no_round_and_lacks_what_joins_them() -> None:
    (found,) = findings(captures(*map(penalised, range(5))))
    assert (found.code, found.count, found.location) == ("CA203", 4, found.noticed_at)
    assert "repeat 0–4 times" in found.message


def test_a_loop_is_seen_beside_a_backward_of_another_kind_that_comes_first() -> None:
    other = graph(node("TanhBackward0"), node("CatBackward0"), leaf("cell.weight"))
    found = {one.code: one for one in findings(captures(other, rounds(3), rounds(5), rounds(2)))}
    assert {code: one.captures for code, one in found.items()} == {
        "CA202": ("!1",),
        "CA203": ("!2", "!3"),
    }
    assert "repeat 2, 3 or 5 times" in found["CA203"].message


def test_a_part_that_comes_and_goes_is_no_loop() -> None:
    part = [node("MulBackward0"), node("SumBackward0")]
    plain, with_part = graph(leaf("w")), graph(*part, leaf("w"))
    more = graph(*part, node("PowBackward0"), leaf("w"))
    assert {one.code for one in findings(captures(plain, with_part, more))} == {"CA202"}


def test_other_parameters_of_one_kind_are_no_loop() -> None:
    deep = [graph(*[node("AddmmBackward0")] * n, leaf(f"l.{n}")) for n in (1, 2, 3, 4)]
    assert "CA203" not in {one.code for one in findings(captures(*deep))}


# CA204


def growing(steps: int, *, carried: bool) -> tuple[Any, ...]:
    graphs = []
    for step in range(steps):
        total = node("AddBackward0", variables=["total"], next=[2])
        old = [node("MulBackward0", **({"carried": True} if carried else {}))] * (step + 1)
        graphs.append(graph(total, *old, leaf("w")))
    return captures(
        *graphs, carried=tuple(step if carried else 0 for step in range(steps)) if steps else ()
    )


def test_growing_graph_names_the_variable_that_carries_it() -> None:
    (found,) = findings(growing(4, carried=True))
    assert (found.code, found.count) == ("CA204", 3)
    assert "4 → 5 → 6 → 7 autograd nodes" in found.message
    assert "`total`" in found.fix


def test_a_hidden_state_that_is_not_detached_is_named() -> None:
    graphs = []
    for step in range(4):
        old = [node("TanhBackward0", carried=True) for _ in range(step)]
        # The state of this step comes from the one before through an operation of the cell.
        state = node("TanhBackward0", variables=["state"], next=[4])
        head = node("AddmmBackward0", variables=["loss"], next=[3])
        cell = node("AddBackward0", next=[5])
        graphs.append(graph(node("SumBackward0", next=[2]), head, state, cell, *old, leaf("w")))
    (found,) = findings(captures(*graphs, carried=(0, 1, 2, 3)))
    assert found.code == "CA204"
    assert "likely `state`:" in found.fix


def test_an_input_that_is_switched_beside_a_growing_graph_is_a_cause_of_its_own() -> None:
    """Each recapture has one node more; every third has the gradient of the data as well."""
    flag = "input requires_grad"
    switches: dict[int, list[tuple[str, str, object, object]]] = {
        3: [("batch", flag, False, True)],
        4: [("batch", flag, True, False)],
    }
    graphs = [
        graph(
            *[node("AddBackward0")] * (step + 1),
            *linear("a"),
            *([leaf(None, variables=["batch"])] if step == 3 else []),
        )
        for step in range(6)
    ]
    made = captures(*graphs, carried=tuple(range(6)), switches=switches)
    found = {each.code: each for each in findings(made)}
    assert set(found) == {"CA204", "CA208"}
    assert found["CA208"].captures == ("!3", "!4")
    assert found["CA204"].captures == ("!1", "!2", "!5")


def test_growth_without_older_nodes_is_no_growing_graph() -> None:
    assert "CA204" not in {found.code for found in findings(growing(4, carried=False))}


# CA205


def test_mode_flip_names_the_module_and_what_it_changed() -> None:
    train, evaluate = (
        graph(node("NativeBatchNormBackward0", attributes={"training": flag}), leaf("w"))
        for flag in (True, False)
    )
    (found,) = findings(captures(train, evaluate, switches={1: [("Net", "training", True, False)]}))
    assert (found.code, found.confidence) == ("CA205", "high")
    assert "`Net` was switched from train to eval" in found.message


@pytest.mark.parametrize("node_flag", ["training", "train"])
def test_a_mode_that_is_switched_back_before_the_backward(node_flag: str) -> None:
    train, evaluate = (
        graph(node("NativeBatchNormBackward0", attributes={node_flag: flag}), leaf("w"))
        for flag in (True, False)
    )
    (found,) = findings(captures(train, evaluate))
    assert (found.code, found.confidence) == ("CA205", "high")
    assert found.message == (
        "NativeBatchNormBackward0 ran in training mode in some steps and in evaluation mode in "
        "others; the modules are switched back before the backward"
    )
    assert "one mode" in found.fix


# CA206


def test_scalar_baked_has_the_values_in_order() -> None:
    made = captures(*(graph(pow_by(e), leaf("w")) for e in (2.0, 3.0, 4.0)))
    (found,) = findings(made)
    assert (found.code, found.confidence, found.count) == ("CA206", "high", 2)
    assert found.message == "PowBackward0 exponent 2.0 → 3.0 → 4.0: one capture for each value"
    assert "x.pow(torch.tensor(e))" in found.fix


def test_a_scalar_beside_a_mode_that_means_nothing_is_a_scalar() -> None:
    made = captures(
        graph(pow_by(2.0), leaf("w")),
        graph(pow_by(3.0), leaf("w")),
        switches={1: [("Net", "training", True, False)]},
    )
    assert findings(made)[0].code == "CA206"


def test_a_scalar_in_a_stock_log_by_equal_key_sizes() -> None:
    made = stock(("r", 1, ()), ("PowBackward0", 47, (47,)), ("PowBackward0", 47, (47, 47)))
    (found,) = findings(made, recorded=False)
    assert (found.code, found.confidence, found.count) == ("CA206", "low", 2)
    grown = stock(("r", 1, ()), ("PowBackward0", 58, (47,)))
    assert [found.code for found in findings(grown, recorded=False)] == ["CA000"]
    unknown = stock(("r", 1, ()), ("SumBackward1", 47, (47,)))
    assert [found.code for found in findings(unknown, recorded=False)] == ["CA000"]


# CA207, CA208


def test_freeze_names_the_modules() -> None:
    made = captures(
        graph(*linear("head")),
        graph(*linear("head"), *linear("body")),
        switches={
            1: [
                ("body.weight", "requires_grad", False, True),
                ("body.bias", "requires_grad", False, True),
            ]
        },
    )
    (found,) = findings(made)
    assert found.code == "CA207"
    assert "during training: `body` False → True" in found.message


def test_a_flag_of_a_parameter_that_is_not_reached_is_not_blamed() -> None:
    made = captures(
        graph(pow_by(2.0), leaf("w")),
        graph(pow_by(3.0), leaf("w")),
        switches={1: [("other.weight", "requires_grad", False, True)]},
    )
    assert [found.code for found in findings(made)] == ["CA206"]


def test_an_input_that_requires_grad_is_named() -> None:
    made = captures(
        graph(*linear("a")),
        graph(*linear("a"), leaf(None, variables=["batch"])),
        switches={1: [("batch", "input requires_grad", False, True)]},
    )
    (found,) = findings(made)
    assert (found.code, found.confidence) == ("CA208", "high")
    assert found.message == "requires_grad of `batch` differs from step to step: False → True"


def test_an_input_of_a_gradient_penalty_is_the_branchs() -> None:
    plain = graph(root("AddBackward0"), node("MseLossBackward0", next=[2]), leaf("net.weight"))
    penalized = graph(
        root("AddBackward0"),
        node("AddBackward0", next=[2, 4]),
        node("MseLossBackward0", next=[3]),
        leaf("net.weight"),
        node("MeanBackward0", next=[5, 3]),
        leaf(None, variables=[]),
    )
    assert [found.code for found in findings(captures(penalized, plain))] == ["CA202"]


@pytest.mark.parametrize(
    ("training", "evaluation", "code"),
    [
        ("MulBackward0([getitem], [True, False], getitem_6)", "", "CA205"),
        ("NativeBatchNormBackward0([g], [True, True, True], 1e-05, g, True, getitem_7)",
         "NativeBatchNormBackward0([g], [True, True, True], 1e-05, g, False, getitem_7)", "CA205"),
        # One of two products is left, and another operation came: no mode.
        ("MulBackward0([g], [True, False], g)", "SinBackward0([g], g)", "CA202"),
        ("MulBackward0([g], [True, True], g)", "", "CA202"),
    ],
)  # fmt: skip
def test_a_mode_is_told_from_the_captured_graphs_of_torchs_own_log(
    training: str, evaluation: str, code: str
) -> None:
    def code_of(call: str) -> StoredText:
        both = f"ReluBackward0([g], g)\n{call}".split("\n")
        calls = [f"a = torch__dynamo_compiled_autograd_ops_{one}" for one in both if one]
        return StoredText.pack("\n".join(calls).encode())

    made = stock(("torch::autograd::GraphRoot", 39, ()), ("ReluBackward0", 38, ()))
    made = tuple(
        replace(one, graph=code_of(call))
        for one, call in zip(made, (training, evaluation), strict=True)
    )
    (found,) = findings(made, recorded=False)
    assert found.code == code


# CA209


def test_another_loss_is_another_root() -> None:
    made = captures(
        *(
            graph(root(name), node(name), leaf("w"))
            for name in ("MseLossBackward0", "MeanBackward0")
        )
    )
    (found,) = findings(made)
    assert (found.code, found.severity) == ("CA209", "warning")
    assert "MseLossBackward0 → MeanBackward0" in found.message


def test_other_inputs_and_dtypes_are_told() -> None:
    made = captures(
        graph(root(), leaf("w")),
        graph(root(inputs=2), leaf("w")),
        graph(root(dtype="torch.bfloat16", inputs=2), leaf("w")),
    )
    messages = [found.message for found in findings(made)]
    assert any("all leaves → 2 inputs" in message for message in messages)


def test_one_loss_more_is_no_other_dtype() -> None:
    more = root()
    more["attributes"] |= {
        "outputs": ["MeanBackward0", "MeanBackward0"],
        "output_dtypes": ["torch.float32", "torch.float32"],
    }
    (found,) = findings(captures(graph(*linear("a")), graph(more, *linear("a"), *linear("b"))))
    assert found.code == "CA209"
    assert found.message == "backward starts at: MeanBackward0 → MeanBackward0, MeanBackward0"
    assert "the same losses in every step" in found.fix


def asked_for(*modules: str) -> Any:
    leaves = [leaf(f"{module}.weight") for module in modules]
    return graph(root(inputs=len(modules)), node("SumBackward0"), *leaves)


def test_a_list_of_as_many_other_inputs_is_another_list() -> None:
    made = captures(asked_for("net.0", "net.1"), asked_for("net.1", "net.2"))
    (found,) = findings(made)
    assert (found.code, found.severity, found.location) == ("CA209", "warning", CALL)
    assert found.message == "gradients were asked for other tensors: net.0, net.1 → net.1, net.2"
    assert "one `inputs=` list" in found.fix


def test_other_tensors_without_names_are_another_list() -> None:
    # `loss.backward(inputs=[rows])` and `[columns]`: the way to the other one is left out.
    first, second = (
        graph(root(inputs=1), node("MmBackward0", next=edges), *between, leaf(None))
        for edges, between in (([2, -1], ()), ([-1, 2], (node("PermuteBackward0", next=[3]),)))
    )
    (found,) = findings(captures(first, second))
    assert found.code == "CA209"
    assert found.message.endswith("other tensors: 1 input each time, and not always the same")


def test_inputs_that_the_loss_does_not_reach_are_a_branch() -> None:
    # `autograd.grad(loss, parameters, allow_unused=True)` where a layer is left out at times.
    made = captures(
        graph(root(inputs=4), *linear("net.0"), *linear("net.1")),
        graph(root(inputs=4), *linear("net.0")),
    )
    assert [found.code for found in findings(made)] == ["CA202"]


def test_a_root_of_a_stock_log() -> None:
    (found,) = findings(stock((ROOT, 39, ()), (ROOT, 47, (39,))), recorded=False)
    assert found.code == "CA209"


# CA210


def function(id: int, name: str = "train.<locals>.Sign", line: int = 7) -> dict[str, Any]:
    described = {"id": id, "name": name, "module": "m", "file": "train.py", "line": line}
    return node("SignBackward", function=described)


def test_a_local_function_is_located_at_its_class() -> None:
    (found,) = findings(captures(*(graph(function(id), leaf("w")) for id in range(3))))
    assert (found.code, found.count) == ("CA210", 2)
    assert found.message == "`Sign` is a new class in each step: it is defined inside `train`"
    assert found.location is not None
    assert (found.location.file, found.location.line) == ("train.py", 7)


def test_a_loop_beside_a_local_function_is_a_cause_of_its_own() -> None:
    rounds = (1, 1, 2, 2, 3, 3)
    made = captures(
        *(
            graph(function(id), *[node("TanhBackward0"), node("MmBackward0")] * count, leaf("w"))
            for id, count in enumerate(rounds)
        )
    )
    assert {one.code: one.captures for one in findings(made)} == {
        "CA210": ("!1", "!3", "!5"),
        "CA203": ("!2", "!4"),
    }


def test_two_functions_of_one_name_in_two_places_are_no_local_function() -> None:
    made = captures(graph(function(0), leaf("w")), graph(function(1, line=30), leaf("w")))
    assert "CA210" not in {found.code for found in findings(made)}


def test_a_function_under_an_eager_forward() -> None:
    name = "AutogradFunctionApply.__call__.<locals>.ApplyTemplate"
    made = captures(*(graph(function(id, name), leaf("w")) for id in range(3)))
    (found,) = findings(made)
    assert "backend 'eager'" in found.message
    assert "aot_eager" in found.fix


def test_a_function_that_is_new_again_in_a_stock_log() -> None:
    made = stock(("r", 1, ()), ("SignBackward", 52, (52,)), ("SignBackward", 52, (52, 52)))
    assert [found.code for found in findings(made, recorded=False)] == ["CA210"]


# CA211, CA212


def test_the_same_nodes_in_another_order() -> None:
    mse, bce = node("MseLossBackward0"), node("BinaryCrossEntropyBackward0")
    made = captures(graph(mse, bce, leaf("w")), graph(bce, mse, leaf("w")))
    (found,) = findings(made)
    assert found.code == "CA211"
    assert "BinaryCrossEntropyBackward0 moved" in found.message


def test_other_wiring_of_the_same_sequence() -> None:
    def wired(*after: int) -> Any:
        return graph(
            node("AddBackward0", next=list(after)), node("SinBackward0"), node("CosBackward0")
        )

    (found,) = findings(captures(wired(2, 3), wired(3, 2)))
    assert found.code == "CA211"


def test_a_hook_beside_an_order_is_a_cause_of_its_own() -> None:
    mse, bce = node("MseLossBackward0"), node("BinaryCrossEntropyBackward0")
    hooked = [hook("log")]
    made = captures(graph(mse, bce, leaf("w")), graph(bce, mse, leaf("w", hook_list=hooked)))
    assert {found.code for found in findings(made)} == {"CA211", "CA301"}


def test_a_hook_that_moves_with_its_node_is_the_order() -> None:
    one = node("MseLossBackward0", hooks=1, hook_list=[hook("log")])
    other = node("BinaryCrossEntropyBackward0", hooks=0)
    made = captures(graph(one, other, leaf("w")), graph(other, one, leaf("w")))
    assert [found.code for found in findings(made)] == ["CA211"]


def test_two_numbers_that_change_together_are_both_told() -> None:
    def annealed(e: float, slope: float) -> Any:
        leaky = node("LeakyReluBackward0", attributes={"negative_slope": slope})
        return graph(pow_by(e), leaky, leaf("w"))

    made = captures(annealed(2.0, 0.1), annealed(3.0, 0.2), annealed(4.0, 0.3))
    found = findings(made)
    assert [one.code for one in found] == ["CA206", "CA206"]
    assert {one.key for one in found} == {
        "PowBackward0 exponent", "LeakyReluBackward0 negative_slope",
    }  # fmt: skip


def test_a_hook_beside_a_mode_is_a_cause_of_its_own() -> None:
    train, evaluate = (
        graph(
            node("NativeBatchNormBackward0", attributes={"training": flag}),
            leaf("w", hook_list=[hook("log")] if flag else []),
        )
        for flag in (True, False)
    )
    made = captures(train, evaluate, switches={1: [("Net", "training", True, False)]})
    assert {found.code for found in findings(made)} == {"CA205", "CA301"}


def test_a_hook_beside_a_frozen_layer_is_a_cause_of_its_own() -> None:
    made = captures(
        graph(*linear("head")),
        graph(leaf("first", hook_list=[hook("log")]), *linear("head"), *linear("body")),
        graph(leaf("first"), *linear("head"), *linear("body")),
        switches={1: [("body.weight", "requires_grad", False, True)]},
    )
    assert {found.code for found in findings(made)} == {"CA207", "CA301"}


def saved(left: int, right: int) -> Any:
    tensors = {
        name: {"shape": [2], "dtype": "torch.float32", "alias": alias}
        for name, alias in (("self", left), ("other", right))
    }
    return graph(node("MulBackward0", tensors=tensors), leaf("w"))


def test_one_tensor_in_two_places_is_told() -> None:
    (found,) = findings(captures(saved(0, 1), saved(0, 0)))
    assert found.code == "CA212"
    assert "the same tensor as self of MulBackward0" in found.message


def test_other_numbers_for_the_same_sharing_are_no_change() -> None:
    first, second = captures(saved(0, 1), saved(5, 3))
    assert not second.changes
    assert first.autograd_graph != second.autograd_graph


def test_tied_parameters() -> None:
    made = captures(
        graph(*linear("a"), *linear("b")),
        graph(*linear("a"), *linear("b")[:-1]),
        switches={1: [("b.weight", "is", "b.weight", "a.weight")]},
    )
    (found,) = findings(made)
    assert found.code == "CA212"
    assert "b.weight" in found.message


def test_the_lengths_that_ctc_keeps_are_numbers_of_the_users() -> None:
    # GIVEN batches of speech: CTC's node keeps how long each utterance is
    def spoken(*lengths: int) -> list[dict[str, Any]]:
        loss = node(
            "CtcLossBackward0",
            attributes={"input_lengths": list(lengths)},
            tensors={
                "log_probs": {"shape": [max(lengths), 2, 7], "dtype": "torch.float32", "alias": 0}
            },
        )
        return graph(loss, leaf("weight"))

    found = findings(captures(spoken(20, 25), spoken(27, 22), spoken(24, 27)))

    # THEN all captures are for the lengths, and the fix is one length
    (one,) = found
    assert (one.code, one.captures) == ("CA206", ("!1", "!2"))
    assert "[20, 25] → [27, 22] → [24, 27]" in one.message
    assert "one length" in one.fix


# CA112, of a backward


def recording(*modes: bool) -> Any:
    same = graph(*linear("head", grad=True))
    return tuple(
        replace(found, modes={"grad_enabled": on})
        for found, on in zip(captures(*(same for _ in modes)), modes, strict=True)
    )


def test_a_backward_that_records_a_graph_of_itself_is_captured_apart() -> None:
    (found,) = findings(recording(False, True))
    assert (found.code, found.key, found.count) == ("CA112", "create_graph", 1)
    assert "create_graph=True" in found.message
    assert "torch.autograd.grad" in found.fix


def test_captures_of_one_grad_mode_are_no_matter_of_it() -> None:
    assert [found.code for found in findings(recording(True, True))] == ["CA000"]


@pytest.mark.parametrize(
    ("name", "before", "after", "code"),
    [
        # An edge with a tensor saved for it, one without, and two (measured).
        ("AddmmBackward0", 83, 112, "CA207"),
        ("ConvolutionBackward0", 77, 95, "CA207"),
        ("NativeLayerNormBackward0", 107, 143, "CA207"),
        # A hook, a tensor that is saved, and an edge that is gone.
        ("AddmmBackward0", 83, 85, "CA000"),
        ("AddmmBackward0", 83, 94, "CA000"),
        ("AddmmBackward0", 112, 83, "CA000"),
    ],
)
def test_an_edge_more_in_a_stock_log_is_an_input_that_needs_a_gradient_now(
    name: str, before: int, after: int, code: str
) -> None:
    made = stock(("torch::autograd::GraphRoot", 39, ()), (name, after, (before,)))
    (found,) = findings(made, recorded=False)
    assert found.code == code
    if code == "CA207":
        assert found.message.startswith(f"an input of {name} needs a gradient")
        assert found.fix.startswith("nothing, if layers are unfrozen on a schedule")
