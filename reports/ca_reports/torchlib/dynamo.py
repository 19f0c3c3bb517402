"""Settings of Dynamo that decide what its graphs are, and the variables that they start from.

They are part of no key, and make another graph, or other sizes, of the same code. Looked up in the
installed torch (`tests/unit/reports/torchlib/test_dynamo.py`); what only others of 2.11 to 2.15
have was read off each of them. What is not here is about guards, errors, logs and speed.
"""

from __future__ import annotations

# Which sizes and numbers are symbols.
OF_SIZES: dict[str, tuple[str, ...]] = {
    "allow_unspec_int_on_fsdp_module": (),
    "allow_unspec_int_on_nn_module": (),
    "assume_static_by_default": (),
    "automatic_dynamic_shapes": ("TORCH_DYNAMO_AUTOMATIC_DYNAMIC_SHAPES",),
    "automatic_dynamic_shapes_mark_as": (),
    "enable_compiler_collectives": ("TORCH_COMPILER_COLLECTIVES",),
    "force_nn_module_property_static_shapes": (),
    "force_parameter_static_shapes": (),
    "specialize_int": (),
}
# What goes into a graph, and where it ends.
OF_GRAPHS: dict[str, tuple[str, ...]] = {
    "allow_empty_graphs": (),
    "allow_rnn": (),
    "capture_dynamic_output_shape_ops": ("TORCHDYNAMO_CAPTURE_DYNAMIC_OUTPUT_SHAPE_OPS",),
    "capture_profiler_record_function": (),
    "capture_scalar_outputs": ("TORCHDYNAMO_CAPTURE_SCALAR_OUTPUTS",),
    "capture_sparse_compute": (),
    "compiled_autograd": (),
    "constant_fold_autograd_profiler_enabled": (),
    "do_not_emit_runtime_asserts": ("TORCH_DYNAMO_DO_NOT_EMIT_RUNTIME_ASSERTS",),
    "dont_skip_tracing": (),
    "enable_dynamo_decompositions": (),
    "enable_faithful_generator_behavior": (),
    "enable_p2p_compilation": ("TORCHDYNAMO_ENABLE_P2P_COMPILATION",),
    "enable_trace_contextlib": (),
    "enable_trace_load_build_class": (),
    "enable_trace_unittest": (),
    "graph_break_on_nn_param_ctor": (),
    "inline_invoke_subgraph": (),
    "inline_single_use_invoke_subgraph": (),
    "install_free_tensors": (),
    "nested_graph_breaks": (),
    "numpy_default_complex": (),
    "numpy_default_float": (),
    "numpy_default_int": (),
    "only_allow_pt2_compliant_ops": (),
    "optimize_ddp": (),
    "prefer_deferred_runtime_asserts_over_guards": (),
    "prepare_freezing": ("TORCHDYNAMO_PREPARE_FREEZING",),
    "rewrite_assert_with_torch_assert": (),
    "skip_fwd_side_effects_in_bwd_under_checkpoint": (),
    "skip_torchrec": (),
    "specialize_float": (),
    "trace_autograd_ops": (),
    "trace_numpy": (),
    "use_graph_deduplication": (),
    "use_numpy_random_stream": (),
    "wrap_top_frame": (),
}
# Lets ``.item()`` be a number in the graph.
SCALARS = "capture_scalar_outputs"
# Sets of functions, and of methods of loggers: what those write is left out of compiled code, or
# written after the graph.
IGNORED = "ignore_logging_functions"
IGNORED_METHODS = "ignore_logger_methods"
REORDERED = "reorderable_logging_functions"
# Those that `torch.compile(dynamic=…)` sets for what it compiles.
SET_BY_DYNAMIC = frozenset(("assume_static_by_default", "automatic_dynamic_shapes"))

# What turns PGO off, which keeps the sizes that vary from one start of a job to the next.
PROFILE = "automatic_dynamic_local_pgo"
PROFILE_VARIABLE = "TORCH_DYNAMO_AUTOMATIC_DYNAMIC_LOCAL_PGO"
# The name of the job that PGO keeps a profile of.
JOB_VARIABLE = "TORCH_COMPILE_JOB_ID"

# What `mark_dynamic` takes more (a range, sizes to specialize on) is a demand.
MAYBE_MARK_DYNAMIC = ("t", "index")

# Folders of torch's with code that Dynamo traces. Paths in guards' comments lack in front what they
# have in common with torch's own folder, so that these may begin with one.
TRACED_FOLDERS = frozenset(
    (
        "_dynamo", "_functorch", "_higher_order_ops", "_inductor", "amp", "ao", "autograd", "cuda",
        "distributed", "distributions", "fx", "nested", "nn", "optim", "utils",
    )
)  # fmt: skip

# Private functions that stand in a graph for a context manager which is entered in it. No cache
# knows them (`AOTAutogradCache`, torch 2.13: a bypass names the first of them only).
ENTERED_BY = {
    f"torch.nn.attention.{name}": "torch.nn.attention.sdpa_kernel"
    for name in ("_backend_from_string", "_cur_sdpa_kernel_backends", "_sdpa_kernel")
}

# How it names a number of the graph's, such as a size that data decide, where a branch tests one.
NUMBER_TESTED = "SymNodeVariable"
# What it says of a function that defines a class, where it cannot trace that.
BUILDS_CLASS = "Invalid call to __build_class__"
