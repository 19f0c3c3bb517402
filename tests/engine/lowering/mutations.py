"""Conditions for exactness, each of which can be taken away: a plugin for pytest.

``CA_TEST_MUTATION=NAME pytest -p tests.engine.lowering.mutations …`` runs tests without the
condition of that name. `test_mutations.py` asserts that some test fails then.
"""

from __future__ import annotations

import inspect
import os
import re
import textwrap
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, NamedTuple

ENVIRONMENT_VARIABLE = "CA_TEST_MUTATION"


class Mutation(NamedTuple):
    """``apply`` takes the condition away; tests in ``file`` that ``-k tests`` selects miss it.

    They are of those that ``-m marks`` selects.
    """

    apply: Callable[[], None]
    file: str
    tests: str
    marks: str


MUTATIONS: dict[str, Mutation] = {}


def mutation(
    file: str, tests: str, marks: str = "not long"
) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def add(apply: Callable[[], None]) -> Callable[[], None]:
        MUTATIONS[apply.__name__] = Mutation(apply, file, tests, marks)
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


def rewrite(owner: Any, name: str, old: str, new: str) -> None:
    """The function ``owner.name`` reads ``new`` where ``old`` stands, which it does once."""
    stock = getattr(owner, name)
    source = textwrap.dedent(inspect.getsource(stock))
    assert source.count(old) == 1
    code = compile(source.replace(old, new), stock.__code__.co_filename, "exec")
    made: dict[str, Any] = {}
    exec(code, stock.__globals__, made)
    setattr(owner, name, made[name])


# The graph


@mutation("test_level2.py", "refused and a_hook")
def python_code_is_seen() -> None:
    from ca_engine.lowering import contents, lowered

    vars(lowered)["look_through"] = lambda *args: replace(contents.look_through(*args), python=None)


def _kind_is_not_seen(condition: str) -> None:
    from ca_engine.lowering import contents

    rewrite(contents, "_python_in", condition, "False")


@mutation("test_contents.py", "python_hook")
def hooks_are_seen() -> None:
    _kind_is_not_seen("node.target is graph_calls.call_hook")


@mutation("test_contents.py", "python_function")
def functions_are_seen() -> None:
    _kind_is_not_seen("node.target is graph_calls.call_backward")


@mutation("test_contents.py", "cpp_hook")
def hooks_of_cpp_are_seen() -> None:
    _kind_is_not_seen("node.target is graph_calls.call_cpp_tensor_pre_hooks")


@mutation("test_contents.py", "cpp_function")
def functions_of_cpp_are_seen() -> None:
    _kind_is_not_seen("graph_calls.is_untraceable(node.target)")


@mutation("test_contents.py", "calls_of_modules")
def modules_are_seen() -> None:
    _kind_is_not_seen('node.op == "call_module"')


@mutation("test_conditions.py", "numbers_that_were_lifted")
def lifted_numbers_are_seen() -> None:
    from ca_engine.lowering import conditions

    rewrite(conditions, "refuse_by_world", "contents.scalars", "False")


@mutation("test_conditions.py", "any_size")
def kernels_for_any_size_are_left_to_dynamo() -> None:
    from ca_engine.lowering import conditions

    rewrite(conditions, "refuse_by_sizes", "_ONE_ORDER_FOR_ALL_SIZES", "devices")


@mutation("test_assemble.py", "two_gradients")
def second_gradients_are_seen_by_templates() -> None:
    from ca_engine.lowering import assemble

    condition = "position in self._grads or position in self._accumulated"
    rewrite(assemble._Assembler, "_accumulate", condition, "False")


@mutation("test_assemble.py", "two_gradients")
def second_gradients_are_seen_by_level_1() -> None:
    from ca_engine.lowering import level1

    condition = "variable not in positions or positions[variable] in accumulated"
    rewrite(level1._Returned, "__init__", condition, "variable not in positions")


@mutation("test_assemble.py", "not_defined")
def undefined_gradients_are_seen() -> None:
    from ca_engine.lowering import assemble

    rewrite(assemble._Assembler, "_accumulate", "not isinstance(new, Traced)", "False")


@mutation("test_assemble.py", "grad_that_is_no_input")
def only_inputs_are_added_to() -> None:
    from ca_engine.lowering import assemble

    condition = "changed != [grad.node] or grad.node not in self._position"
    rewrite(assemble._Assembler, "_add_in_place", condition, "False")


@mutation("test_assemble.py", "one_grad_of_two")
def grads_are_added_to_once() -> None:
    from ca_engine.lowering import assemble

    condition = "len(captured_grad.users) != 1 or self._position[grad.node] in self._changed"
    rewrite(assemble._Assembler, "_add_in_place", condition, "False")


@mutation("test_assemble.py", "a_write_to_an_input")
def writes_of_calls_are_refused() -> None:
    from ca_engine.lowering import assemble

    rewrite(assemble._Assembler, "_call", "if template.changed", "if False")


@mutation("test_assemble.py", "another_size")
def other_metadata_is_seen() -> None:
    from ca_engine.compat import tracing

    vars(tracing)["has_other_metadata"] = always(False)


@mutation("test_assemble.py", "sparse_tensor")
def results_are_plain() -> None:
    from ca_engine.lowering import templates

    rewrite(templates, "_refuse_special", "not is_plain(value)", "False")


@mutation("test_grad_inputs.py", "becomes_an_argument")
def grads_become_arguments() -> None:
    from ca_engine.lowering import grad_inputs

    vars(grad_inputs)["with_grads"] = lambda module: module


@mutation("test_grad_inputs.py", "becomes_an_argument")
def defined_grads_become_arguments() -> None:
    from ca_engine.lowering import grad_inputs

    rewrite(grad_inputs, "with_grads", "None if position is None else items[position]", "None")


@mutation("test_grad_inputs.py", "second_gradient")
def grads_are_added_to_in_turn() -> None:
    from ca_engine.lowering import grad_inputs

    rewrite(grad_inputs, "with_grads", "updated[variable] = copy", "pass")


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


# The compiler, the world and the inputs


@mutation("test_recognise.py", "another_module or another")
def the_module_is_the_one_that_was_captured() -> None:
    from ca_engine.lowering import recognise

    rewrite(recognise, "recognise", "found.module is not module", "False")


@mutation("test_recognise.py", "guard")
def unusual_settings_are_seen() -> None:
    from ca_engine.compat import torch_compile

    vars(torch_compile)["_unusual"] = always(None)


@mutation("test_recognise.py", "forward")
def forward_hooks_are_seen() -> None:
    from ca_engine.compat import torch_compile

    vars(torch_compile)["has_hooks"] = always(False)


@mutation("test_recognise.py", "own")
def backends_are_known_by_identity() -> None:
    from ca_engine.compat import torch_compile

    vars(torch_compile)["known_backend"] = always("eager")


@mutation("test_modes.py", "unproven_torch_it_stays")
def the_torch_is_proven() -> None:
    from ca_engine.lowering import modes

    vars(modes)["is_proven"] = always(True)


@mutation("test_level2.py", "autocast_around_the and refused")
def autocast_is_seen() -> None:
    from ca_engine.compat import ambient

    condition = "torch._C._is_any_autocast_enabled()"
    rewrite(ambient, "is_plain_world", condition, "False")


@mutation("test_level2.py", "create_graph")
def create_graph_is_seen() -> None:
    from ca_engine.compat import ambient

    rewrite(ambient, "is_plain_world", "torch.is_grad_enabled()", "False")


@mutation("test_level2.py", "a_dispatch_mode_around and refused")
def modes_are_seen() -> None:
    from ca_engine.compat import ambient

    rewrite(ambient, "is_plain_world", "modes_are_around()", "False")


@mutation("test_backends.py", "settings")
def templates_are_those_of_the_settings() -> None:
    from ca_engine.lowering import backends

    condition = "self._templates is None or settings != self._settings"
    rewrite(backends.Inductor, "templates", condition, "self._templates is None")


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


@mutation("test_level2.py", "on_a_device_where_it_was_not_compared")
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


@mutation("test_guards.py", "strides_of_what_was_saved-stride")
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


@mutation("test_guards.py", "deterministic_mode-")
def global_state_is_guarded() -> None:
    from torch._C._dynamo.guards import RootGuardManager

    from ca_engine.compat import ambient

    class Manager:
        def __init__(self) -> None:
            self._root = RootGuardManager()

        def __getattr__(self, name: str) -> Any:
            return always(None) if name == "add_global_state_guard" else getattr(self._root, name)

    vars(ambient)["RootGuardManager"] = Manager


@mutation("test_guards.py", "a_dispatch_mode_at_a_hit-")
def modes_are_guarded() -> None:
    from ca_engine.compat import ambient
    from ca_engine.lowering import guards

    vars(guards)["ambient"] = SimpleNamespace(
        **{**vars(ambient), "modes_are_around": always(False)}
    )


@mutation("test_guards.py", "memory_of_grads-")
def memory_of_grads_is_guarded() -> None:
    from ca_engine.lowering import guards

    guards.Guards._are_apart = always(True)  # type: ignore[method-assign]


@mutation("test_level2.py", "views_of_one_buffer")
def memory_of_grads_is_looked_at_first() -> None:
    from ca_engine.lowering import guards

    rewrite(guards.Guards, "__init__", "not self._are_apart(inputs)", "False")


@mutation("test_level1.py", "strides_are_guarded")
def tensors_are_guarded_by_level_1() -> None:
    from ca_engine.lowering import level1

    rewrite(level1.Level1, "admits", "self._guards.hold(inputs) and", "")


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


@mutation("test_templates.py", "distinct_by_all_metadata")
def sizes_make_calls_distinct() -> None:
    _metadata_without(0)


@mutation("test_templates.py", "distinct_by_all_metadata")
def strides_make_calls_distinct() -> None:
    _metadata_without(1)


@mutation("test_templates.py", "distinct_by_all_metadata")
def offsets_make_calls_distinct() -> None:
    _metadata_without(2)


@mutation("test_templates.py", "distinct_by_all_metadata")
def dtypes_make_calls_distinct() -> None:
    _metadata_without(3)


@mutation("test_templates.py", "distinct_by_all_metadata")
def requires_grad_makes_calls_distinct() -> None:
    _metadata_without(5)


@mutation("test_templates.py", "distinct_by_all_metadata")
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


@mutation("test_templates.py", "other_global_state")
def global_state_makes_calls_distinct() -> None:
    from ca_engine.compat import tracing

    vars(tracing)["modes_of_tracing"] = always(())


@mutation("test_templates.py", "gives_one_tensor_twice")
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


@mutation("test_direct.py", "no_dynamo_around")
def dynamo_looks_away() -> None:
    from ca_engine.compat import dynamo

    vars(dynamo)["without_dynamo"] = nullcontext


@mutation("test_direct.py", "chooses_by_values")
def formulas_are_those_of_a_traced_graph() -> None:
    from ca_engine.compat import graph_calls

    vars(graph_calls)["cpp_function_as_traced"] = graph_calls.cpp_function


# Graphs that were compiled before


@mutation("test_known_graphs.py", "another_state or setting")
def names_of_graphs_hold_settings_and_state() -> None:
    from ca_engine.compat import inductor_cache

    vars(inductor_cache)["settings_key"] = always("")


@mutation("test_known_graphs.py", "larger_tensor")
def names_of_graphs_hold_the_metadata_of_inputs() -> None:
    from ca_engine.lowering import known_graphs

    vars(known_graphs)["metadata_of"] = always(())


@mutation("test_known_graphs.py", "constant")
def names_of_graphs_hold_constants() -> None:
    from ca_engine.lowering import known_graphs

    rewrite(known_graphs, "_lines", " {node.args}", "")


@mutation("test_known_graphs.py", "parameter")
def names_of_graphs_hold_which_inputs_are_parameters() -> None:
    from ca_engine.lowering import known_graphs

    rewrite(known_graphs, "_lines", "{parameters} ", "")


@mutation("test_known_graphs.py", "programs_own_has_no_name")
def operators_of_a_programs_own_have_no_name() -> None:
    from ca_engine.lowering import known_graphs

    vars(known_graphs)["_is_fixed"] = always(True)


@mutation("test_known_graphs.py", "is_not_kept")
def passes_of_a_programs_own_run() -> None:
    from torch._inductor.codecache import FxGraphCache

    owner: Any = FxGraphCache
    owner._check_can_cache = staticmethod(always(None))


@mutation("test_known_graphs.py", "is_not_kept")
def caches_that_are_off_are_not_asked() -> None:
    from ca_engine.compat import inductor_cache

    vars(inductor_cache)["cache_is_on"] = always(True)


@mutation("test_cpp_kernels.py", "one_command")
def kernels_of_a_library_have_one_command() -> None:
    from ca_engine.compat import cpp_library

    owner: Any = cpp_library.Kernel
    owner.options = ""


@mutation("test_cpp_kernels.py", "change_the_next")
def directives_of_a_kernel_are_looked_at() -> None:
    from ca_engine.compat import cpp_library

    vars(cpp_library)["_DIRECTIVE"] = re.compile(r"^#(include) (.*)$", re.MULTILINE)


@mutation("test_cpp_kernels.py", "compiled_alone")
def libraries_are_loaded_before_they_are_used() -> None:
    from ca_engine.compat import cpp_library

    vars(cpp_library)["_try_to_load"] = always(None)


# Inductor in the background

_GRAPHS = "background/test_dynamo_graph.py"


@mutation(_GRAPHS, "keeps_its_graph")
def a_backward_that_keeps_its_graph_is_noted() -> None:
    from ca_engine.lowering.background import dynamo_graph

    rewrite(dynamo_graph.GraphInBackground, "_backward_begins", "not keeps", "True")


@mutation(_GRAPHS, "keeps_its_graph")
def nothing_is_donated_that_is_kept() -> None:
    from ca_engine.compat import dynamo_graphs

    vars(dynamo_graphs)["_nothing_donated"] = nullcontext


@mutation(_GRAPHS, "backward_never_runs")
def a_backward_that_may_come_may_keep_its_graph() -> None:
    from ca_engine.lowering.background import dynamo_graph

    rewrite(dynamo_graph.GraphInBackground, "_advance", "frees=False", "frees=True")


@mutation(_GRAPHS, "another_state_of_the_thread")
def swaps_are_in_the_state_of_then() -> None:
    from ca_engine.lowering.background import dynamo_graph

    condition = "dynamo_graphs.thread_state() != self._thread_state"
    rewrite(dynamo_graph.GraphInBackground, "_advance", condition, "False")


@mutation(_GRAPHS, "settings_are_those")
def swaps_are_among_the_settings_of_then() -> None:
    from ca_engine.lowering.background.dynamo_job import DynamoJob

    DynamoJob.take_over_settings = always(None)  # type: ignore[method-assign]


@mutation(_GRAPHS, "draws_no_random_numbers")
def swaps_draw_no_random_numbers() -> None:
    from ca_engine.compat import dynamo_graphs

    vars(dynamo_graphs)["preserve_rng_state"] = nullcontext


@mutation(_GRAPHS, "new_guard")
def new_guards_are_seen() -> None:
    from ca_engine.compat.dynamo_graphs import Moment

    Moment.has_new_guards = always(False)  # type: ignore[method-assign]


@mutation(_GRAPHS, "sizes_that_a_graph_does_not_serve")
def guards_of_sizes_can_be_checked() -> None:
    from ca_engine.compat.dynamo_graphs import SizeGuards

    SizeGuards.can_be_checked = always(True)  # type: ignore[method-assign]


@mutation(_GRAPHS, "sizes_that_a_graph_does_not_serve")
def guards_of_sizes_are_checked() -> None:
    from ca_engine.compat.dynamo_graphs import SizeGuards

    SizeGuards.hold = always(True)  # type: ignore[method-assign]


@mutation(_GRAPHS, "other_sizes_run_as")
def guards_of_sizes_are_asked() -> None:
    from ca_engine.lowering.background import dynamo_graph

    rewrite(dynamo_graph.GraphInBackground, "_swap", "not sizes.positions", "True")


@mutation(_GRAPHS, "number_that_was_looked_at")
def guards_of_numbers_are_seen() -> None:
    from ca_engine.compat import dynamo_graphs

    vars(dynamo_graphs)["guards_on_items"] = always([])


@mutation(_GRAPHS, "changing and numbers", "")
def numbers_that_change_are_sent() -> None:
    from ca_engine.compat import dynamo_graphs

    vars(dynamo_graphs)["symbolic_item"] = always(None)


@mutation(_GRAPHS, "another_graph_there")
def keys_are_compared() -> None:
    from ca_engine.lowering.background.dynamo_job import DynamoJob

    DynamoJob._differs = always(None)  # type: ignore[method-assign]


@mutation(_GRAPHS, "without_a_key")
def graphs_for_sizes_have_a_key() -> None:
    from ca_engine.lowering.background import dynamo_job

    rewrite(dynamo_job, "describe", "changing and key is None", "False")


@mutation(_GRAPHS, "nothing_can_be_put_off")
def settings_stand_in_the_way() -> None:
    from ca_engine.compat import dynamo_graphs

    vars(dynamo_graphs)["setting_in_the_way"] = always(None)


@mutation(_GRAPHS, "the_programs_modules")
def functions_are_of_torch() -> None:
    from ca_engine.lowering.background import dynamo_job
    from ca_engine.lowering.background.job import GraphPickler

    vars(dynamo_job)["_OfTorchPickler"] = GraphPickler


@mutation(_GRAPHS, "cannot_be_sent and class")
def tensors_that_are_sent_are_of_no_subclass() -> None:
    from ca_engine.lowering.background import dynamo_job

    rewrite(dynamo_job, "_metadata", "tracing.is_subclass(tensor)", "False")


@mutation(_GRAPHS, "cannot_be_sent and layout")
def tensors_that_are_sent_have_strides() -> None:
    from ca_engine.lowering.background import dynamo_job

    rewrite(dynamo_job, "_metadata", "tensor.layout is not torch.strided", "False")


@mutation(_GRAPHS, "cannot_be_sent and conjugated")
def tensors_that_are_sent_are_plain() -> None:
    from ca_engine.lowering.background import dynamo_job

    condition = "tensor.is_conj() or tensor.is_neg() or tensor.is_inference()"
    rewrite(dynamo_job, "_metadata", condition, "False")


@mutation(_GRAPHS, "cannot_be_sent and device")
def tensors_that_are_sent_are_the_cpus() -> None:
    from ca_engine.lowering.background import dynamo_job

    vars(dynamo_job)["_refuse_device"] = always(None)


@mutation(_GRAPHS, "not_dynamos")
def graphs_are_dynamos() -> None:
    from ca_engine.compat import dynamo_graphs

    vars(dynamo_graphs)["_is_dynamos"] = always(True)


@mutation("background/test_background.py", "other_inputs_run_as_captured", "")
def compiled_backwards_are_guarded() -> None:
    from ca_engine.lowering.guards import Guards

    Guards.hold = always(True)  # type: ignore[method-assign]


@mutation("background/test_processes.py", "child_of_a_fork_runs_on", "")
def a_fork_leaves_the_process_alone() -> None:
    from ca_engine.lowering.background.worker import Worker

    Worker.forked = always(None)  # type: ignore[method-assign]
