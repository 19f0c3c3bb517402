"""Conditions for exactness, each of which can be taken away: a plugin for pytest.

``CA_TEST_MUTATION=NAME pytest -p tests.engine.lowering.mutations …`` runs tests without the
condition of that name. `test_mutations.py` asserts that some test fails then.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, NamedTuple

ENVIRONMENT_VARIABLE = "CA_TEST_MUTATION"


class Mutation(NamedTuple):
    """``apply`` takes the condition away; tests in ``file`` that ``-k tests`` selects miss it."""

    apply: Callable[[], None]
    file: str
    tests: str


MUTATIONS: dict[str, Mutation] = {}


def mutation(file: str, tests: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def add(apply: Callable[[], None]) -> Callable[[], None]:
        MUTATIONS[apply.__name__] = Mutation(apply, file, tests)
        return apply

    return add


def pytest_configure() -> None:
    if name := os.environ.get(ENVIRONMENT_VARIABLE):
        MUTATIONS[name].apply()


def always(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


def _changed(module: Any, **names: Any) -> Any:
    """What stands for ``module`` where ``names`` differ."""
    return SimpleNamespace(**{**vars(module), **names})


def without_refusals(owner: Any, name: str, *reasons: str) -> None:
    """``owner.name`` goes on where it would refuse by one of ``reasons``."""
    from ca_engine.lowering.refusal import RefusalError

    stock = getattr(owner, name)

    def lenient(*args: Any, **kwargs: Any) -> Any:
        try:
            return stock(*args, **kwargs)
        except RefusalError as refused:
            if refused.reason not in reasons:
                raise
            return None

    setattr(owner, name, lenient)


# The graph


@mutation("test_level2.py", "refused and a_hook")
def python_code_is_seen() -> None:
    from ca_engine.lowering import contents, lowered

    vars(lowered)["look_through"] = lambda *args: replace(contents.look_through(*args), python=None)


@mutation("test_sizes.py", "check_mode_compares and aot_eager-batches")
def sizes_are_those_of_the_backward() -> None:
    from ca_engine.lowering import lowered, sizes

    vars(lowered)["with_sizes"] = lambda module, found: sizes.with_sizes(module, [3] * len(found))


@mutation("test_level2.py", "a_grad_that_the_graph_reads")
def a_grad_that_is_read_is_seen() -> None:
    from ca_engine.lowering import assemble

    def add(self: Any, node: Any, grad: Any, template: Any, tensors: Any, updated: Any) -> None:
        self._changed[self._position[grad.node]] = updated

    vars(assemble)["_Assembler"]._add_in_place = add


@mutation("test_level2.py", "a_gradient_that_is_an_input")
def aliases_of_outputs_are_seen() -> None:
    from ca_engine.lowering import assemble

    without_refusals(assemble._Assembler, "_refuse_aliases", "output_alias")


@mutation("test_level2.py", "row_by_row and layers_of_an_mlp-aot_eager")
def writes_to_tensors_are_seen() -> None:
    from ca_engine.compat import tracing

    vars(tracing)["is_changed"] = always(False)


@mutation("test_level2.py", "a_view_that_is_made_again")
def late_views_are_seen() -> None:
    from ca_engine.lowering import templates

    templates.Template.views = always(False)  # type: ignore[method-assign]


# The world and the inputs


@mutation("test_level2.py", "a_compiler_of_dynamic")
def dynamic_is_asked_for() -> None:
    from ca_engine.lowering import lowered
    from ca_engine.lowering.recognise import recognise

    vars(lowered)["recognise"] = lambda *args: replace(recognise(*args), dynamic=None)


@mutation("test_level2.py", "autocast_around_the")
def the_world_is_plain() -> None:
    from ca_engine.compat import ambient

    vars(ambient)["is_plain_world"] = always(True)


@mutation("test_level2.py", "with_a_setting_of_aot")
def settings_of_aotautograd() -> None:
    from ca_engine.compat import ambient
    from ca_engine.lowering import conditions

    vars(conditions)["ambient"] = SimpleNamespace(
        **{**vars(ambient), "functional_option": always(None)}
    )


@mutation("test_level2.py", "with_a_setting_of_ind")
def settings_of_inductor() -> None:
    from ca_engine.compat import inductor

    stock = inductor.inductor_option
    # The function itself is tested as well; here what is done with its answer.
    vars(inductor)["inductor_option"] = lambda options: stock(options) if options else None


@mutation("test_level2.py", "negated")
def tensors_are_plain() -> None:
    from ca_engine.lowering import conditions

    vars(conditions)["is_plain"] = always(True)


@mutation("test_level2.py", "a_marked")
def dimensions_are_unmarked() -> None:
    from ca_engine.compat import ambient

    vars(ambient)["is_marked"] = always(False)


@mutation("test_level2.py", "another_device")
def devices_are_proven() -> None:
    from ca_engine.lowering import lowered

    without_refusals(lowered, "refuse_by_inputs", "device")


@mutation("test_level2.py", "overlaps_itself")
def grads_do_not_overlap_themselves() -> None:
    from ca_engine.compat import ambient

    vars(ambient)["overlaps_itself"] = always(False)


@mutation("test_level2.py", "needs_a_gradient")
def grads_need_no_gradient() -> None:
    from ca_engine.lowering import level2

    vars(level2)["refuse_by_grads"] = always(None)


# Guards


@mutation("test_level2.py", "strides_of_what_was_saved-stride")
def tensors_are_guarded() -> None:
    from ca_engine.compat import ambient

    guards_of = ambient.guards_of
    # Global state is guarded on, tensors are not.
    vars(ambient)["guards_of"] = lambda inputs: _Lenient(guards_of([]), inputs)


class _Lenient:
    def __init__(self, manager: Any, _: Any) -> None:
        self._manager = manager

    def check(self, _: Any) -> bool:
        return bool(self._manager.check([]))

    def check_verbose(self, _: Any) -> Any:
        return self._manager.check_verbose([])


@mutation("test_level2.py", "deterministic_mode-")
def global_state_is_guarded() -> None:
    from torch._C._dynamo.guards import RootGuardManager

    from ca_engine.compat import ambient

    class Manager:
        def __init__(self) -> None:
            self._root = RootGuardManager()

        def __getattr__(self, name: str) -> Any:
            return always(None) if name == "add_global_state_guard" else getattr(self._root, name)

    vars(ambient)["RootGuardManager"] = Manager


@mutation("test_level2.py", "a_dispatch_mode_at_a_hit-")
def modes_are_guarded() -> None:
    from ca_engine.compat import ambient
    from ca_engine.lowering import guards

    vars(guards)["ambient"] = SimpleNamespace(
        **{**vars(ambient), "modes_are_around": always(False)}
    )


@mutation("test_level2.py", "memory_of_grads-")
def memory_of_grads_is_guarded() -> None:
    from ca_engine.lowering import guards

    guards.Guards._are_apart = always(True)  # type: ignore[method-assign]


@mutation("test_level1.py", "how_inputs_share")
def sharing_is_guarded() -> None:
    from ca_engine.compat import ambient

    vars(ambient)["memory_form"] = always([])


@mutation("test_direct.py", "stance")
def a_stance_is_heeded() -> None:
    from ca_engine.compat import torch_compile

    vars(torch_compile)["stance_is_default"] = always(True)


# Templates: what makes calls distinct


def _metadata_without(position: int) -> None:
    from ca_engine.lowering import assemble, templates

    stock = templates.metadata_of

    def without(tensor: Any) -> Any:
        found = stock(tensor)
        return (*found[:position], *found[position + 1 :])

    vars(templates)["metadata_of"] = vars(assemble)["metadata_of"] = without


@mutation("test_level2.py", "distinct_by_all_metadata")
def sizes_make_calls_distinct() -> None:
    _metadata_without(0)


@mutation("test_level2.py", "distinct_by_all_metadata")
def strides_make_calls_distinct() -> None:
    _metadata_without(1)


@mutation("test_level2.py", "distinct_by_all_metadata")
def offsets_make_calls_distinct() -> None:
    _metadata_without(2)


@mutation("test_level2.py", "distinct_by_all_metadata")
def dtypes_make_calls_distinct() -> None:
    _metadata_without(3)


@mutation("test_level2.py", "distinct_by_all_metadata")
def requires_grad_makes_calls_distinct() -> None:
    _metadata_without(5)


@mutation("test_level2.py", "distinct_by_all_metadata")
def sizes_of_storages_make_calls_distinct() -> None:
    _metadata_without(6)


@mutation("test_level2.py", "row_by_row and aot_eager and constant")
def constants_make_calls_distinct() -> None:
    from ca_engine.lowering import templates

    vars(templates)["repr"] = always("")


@mutation("test_level2.py", "row_by_row and aot_eager and equal_calls_on")
def equal_arguments_make_calls_distinct() -> None:
    """``f(x, y)`` and ``f(x, x)`` share a template."""
    from ca_engine.lowering import templates

    stock = templates._shape_of

    def shape(value: Any, tensors: Any, numbers: Any) -> Any:
        if type(value) is templates.Traced:
            tensors.append(value)
            numbers[value.node] = len(tensors) - 1
            return templates.FromInput(len(tensors) - 1)
        return stock(value, tensors, numbers)

    vars(templates)["_shape_of"] = shape


@mutation("test_level2.py", "other_global_state")
def global_state_makes_calls_distinct() -> None:
    from ca_engine.compat import tracing

    vars(tracing)["modes_of_tracing"] = always(())


@mutation("test_level2.py", "gives_one_tensor_twice")
def one_tensor_given_twice_is_traced_again() -> None:
    from ca_engine.compat import tracing

    vars(tracing)["_NotingProxies"].has_repeated = property(always(False), always(None))


# Running


@mutation("test_level2.py", "row_by_row and layers_of_an_mlp-aot_eager")
def versions_are_counted() -> None:
    from ca_engine.lowering import level2

    vars(level2)["increment_version"] = always(None)


@mutation("test_level1.py", "templates_cannot and twice and aot_eager or every_kind")
def results_are_returned_once() -> None:
    from ca_engine.lowering import level1

    stock = level1._Returned.graph_results

    def each(self: Any, outputs: Any, grads: Any) -> Any:
        self._results = [object() for _ in self._results]
        return stock(self, outputs, grads)

    level1._Returned.graph_results = each  # type: ignore[method-assign]


@mutation("test_level1.py", "every_kind or that_is_an_input")
def results_that_are_inputs_are_passed_on() -> None:
    from ca_engine.lowering import level1

    stock = level1._Returned.__init__

    def init(self: Any, graph: Any) -> None:
        stock(self, graph)
        self.inputs = [None for _ in self.inputs]

    level1._Returned.__init__ = init  # type: ignore[method-assign]


@mutation("test_level1.py", "layers_of_an_mlp-aot_eager")
def grads_are_set_in_the_order_of_inputs() -> None:
    from ca_engine.lowering import level1

    stock = level1._Returned.__init__

    def init(self: Any, graph: Any) -> None:
        stock(self, graph)
        self.variables = self.variables[::-1]

    level1._Returned.__init__ = init  # type: ignore[method-assign]


@mutation("test_direct.py", "eagers_moment")
def python_code_sees_grads_at_once() -> None:
    from ca_engine.lowering import direct

    stock = direct.Direct.__init__

    def init(self: Any, *args: Any) -> None:
        stock(self, *args)
        self._grads_at_once = False

    direct.Direct.__init__ = init  # type: ignore[assignment, method-assign]


@mutation("test_direct.py", "half_way")
def grads_are_set_after_the_graph() -> None:
    from ca_engine.lowering import direct

    stock = direct.Direct.__init__

    def init(self: Any, *args: Any) -> None:
        stock(self, *args)
        self._grads_at_once = True

    direct.Direct.__init__ = init  # type: ignore[assignment, method-assign]


@mutation("test_direct.py", "fullgraph")
def fullgraph_is_heeded() -> None:
    from ca_engine.lowering import lowered
    from ca_engine.lowering.recognise import recognise

    vars(lowered)["recognise"] = lambda *args: replace(recognise(*args), fullgraph=False)
