"""What must hold of a captured graph after every pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import fx

from ca_engine.capture.builder import PLACEHOLDERS
from ca_engine.compat import graph_calls
from ca_engine.passes import PASSES
from ca_engine.passes.inputs import BackwardGraph
from ca_engine.passes.placing import is_graph_input, is_item

EFFECTS = (
    graph_calls.call_hook,
    graph_calls.call_backward,
    graph_calls.call_accumulate_grad,
    graph_calls.EXEC_FINAL_CALLBACKS,
)


def check_graph(graph: fx.Graph) -> None:
    """Raises AssertionError with the rule that is broken."""
    graph.lint()
    place = {node: index for index, node in enumerate(graph.nodes)}
    nodes = list(graph.nodes)
    inputs = [node.target for node in nodes if node.op == "placeholder"]
    assert inputs == list(PLACEHOLDERS), f"these are the graph's inputs: {inputs}"
    assert [node.op for node in nodes[:5]] == ["placeholder"] * 5, "the inputs do not come first"
    assert nodes[-1].op == "output", "the output does not come last"
    for node in nodes:
        for argument in node.all_input_nodes:
            assert place[argument] < place[node], f"{node} runs before its input {argument}"
    for call in graph.find_nodes(op="call_function", target=graph_calls.call_hook):
        hook = call.args[0]
        assert is_graph_input(hook), f"{call} calls something that is no hook of the inputs"
        assert call.kwargs["hook_type"] in HOOK_TYPES, f"{call} is a hook of no kind"


HOOK_TYPES = {"unpack_hook", "tensor_pre_hook", "pre_hook", "post_hook", "post_acc_grad_hook"}


def check_hooks_are_beside_what_they_hook(graph: fx.Graph) -> None:
    """Holds once all passes have run."""
    place = {node: index for index, node in enumerate(graph.nodes)}
    for call in graph.find_nodes(op="call_function", target=graph_calls.call_hook):
        kind = call.kwargs["hook_type"]
        if kind == "post_acc_grad_hook":
            accumulation = next(
                user
                for user in call.args[1].users
                if user.target is graph_calls.call_accumulate_grad
            )
            between = [n for n in graph.nodes if place[accumulation] < place[n] < place[call]]
            assert all(is_item(n) or n.target is graph_calls.call_hook for n in between), (
                f"{call} runs long after {accumulation}"
            )
        grad = call.args[1]
        if kind == "tensor_pre_hook" and isinstance(grad, fx.Node) and not is_graph_input(grad):
            assert place[call] - place[grad] <= 2, f"{call} runs long after {grad}"


def checked_passes(report: list[str]) -> Callable[[BackwardGraph], None]:
    """`run_passes` with the checker after each pass; ``report`` gets the passes that ran."""

    def run(graph: BackwardGraph) -> None:
        check_graph(graph)
        effects = count_effects(graph)
        for one in PASSES:
            one(graph)
            check_graph(graph)
            assert count_effects(graph) == effects, f"{one.__name__} lost a node with effects"
            report.append(one.__name__)
        check_hooks_are_beside_what_they_hook(graph)

    return run


def count_effects(graph: fx.Graph) -> dict[str, int]:
    counts: dict[str, int] = {}
    for node in graph.nodes:
        if node.target in EFFECTS:
            name: Any = getattr(node.target, "__name__", node.target)
            counts[name] = counts.get(name, 0) + 1
    return counts
