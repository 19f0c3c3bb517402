"""Settings of inductor and AOTAutograd that their caches depend on, by their attributes' names.

Looked up in the installed torch (`tests/unit/reports/torchlib/test_inductor.py`); what only others
of 2.11 to 2.15 have was read off each of them.
"""

from __future__ import annotations

# What ``torch.compile(mode=…)`` turns on (``torch._inductor.list_mode_options``).
MODES: dict[str, frozenset[str]] = {
    "default": frozenset(),
    "reduce-overhead": frozenset(("triton.cudagraphs",)),
    "max-autotune": frozenset(("max_autotune", "triton.cudagraphs", "coordinate_descent_tuning")),
    "max-autotune-no-cudagraphs": frozenset(("max_autotune", "coordinate_descent_tuning")),
}
SET_BY_MODES = frozenset().union(*MODES.values())
# Settings that inductor itself patches while another one is on (``get_cpp_wrapper_config``).
FOLLOWING: dict[str, str] = dict.fromkeys(
    (
        "triton.autotune_at_compile_time", "triton.autotune_cublasLt", "triton.cudagraphs",
        "triton.store_cubin",
    ),
    "cpp_wrapper",
)  # fmt: skip
# Passes of the program's own over graphs: without a `uuid()` no cache takes what they made.
PASSES = (
    "pre_grad_custom_pass", "post_grad_custom_pre_pass", "post_grad_custom_post_pass",
    "joint_custom_pre_pass", "joint_custom_post_pass", "_pre_fusion_custom_pass",
    "_post_fusion_custom_pass", "_fuse_ddp_communication_passes",
)  # fmt: skip
# What makes weights a part of the code.
FREEZING = ("freezing", "use_runtime_constant_folding")
# What turns caches off: inductor's and with it AOTAutograd's, all of them, AOTAutograd's.
INDUCTOR_CACHE, ALL_OFF, AOT_CACHE = (
    "fx_graph_cache", "force_disable_caches", "enable_autograd_cache",
)  # fmt: skip
CACHES = (INDUCTOR_CACHE, ALL_OFF, AOT_CACHE)
# Variables that set what keeps graphs out of caches, with the value that does.
KEEPING_OUT: dict[str, tuple[str, str]] = {
    INDUCTOR_CACHE: ("TORCHINDUCTOR_FX_GRAPH_CACHE", "0"),
    ALL_OFF: ("TORCHINDUCTOR_FORCE_DISABLE_CACHES", "1"),
    AOT_CACHE: ("TORCHINDUCTOR_AUTOGRAD_CACHE", "0"),
    "freezing": ("TORCHINDUCTOR_FREEZING", "1"),
}
# Variables that decide where the caches lie, the first that is set of each: the folder itself, the
# user's name in it (``getpass.getuser``), and what it lies in (``tempfile.gettempdir``).
FOLDER_VARIABLES = (
    ("TORCHINDUCTOR_CACHE_DIR",),
    ("LOGNAME", "USER", "LNAME", "USERNAME"),
    ("TMPDIR", "TEMP", "TMP"),
    ("HOME",),
)
# Which server a remote cache is asked at.
REMOTE_VARIABLES = (
    "TORCHINDUCTOR_REDIS_URL", "TORCHINDUCTOR_REDIS_HOST", "TORCHINDUCTOR_REDIS_PORT",
)  # fmt: skip
# Those that have caches in a folder of their own, another one each time.
FRESH_FOLDERS = ("fresh_cache", "fresh_inductor_cache")
# Functions of `torch.compiler` that load and save all caches at once (Mega-Cache).
LOADS_BUNDLE, SAVES_BUNDLE = "load_cache_artifacts", "save_cache_artifacts"
# How the folder's name begins that torch takes by default.
DEFAULT_FOLDER = "torchinductor_"

# Variables of the environment that a setting starts from, where they are not
# ``TORCHINDUCTOR_`` and its name.
_VARIABLES: dict[str, tuple[str, ...]] = {
    "_profile_var": ("TORCHINDUCTOR_PROFILE",),
    "aot_inductor.filtered_kernel_names": ("AOT_INDUCTOR_FILTERED_KERNELS_TO_PRINT",),
    "aot_inductor.raise_error_on_ignored_optimization": (
        "AOTINDUCTOR_RAISE_ERROR_ON_IGNORED_OPTIMIZATION",
    ),
    "autoheuristic_collect.mixed_mm": ("TORCHINDUCTOR_AUTOHEURISTIC_COLLECT",),
    "autoheuristic_collect.pad_mm": ("TORCHINDUCTOR_AUTOHEURISTIC_COLLECT",),
    "autoheuristic_use.mixed_mm": ("TORCHINDUCTOR_AUTOHEURISTIC_USE",),
    "autoheuristic_use.pad_mm": ("TORCHINDUCTOR_AUTOHEURISTIC_USE",),
    "auto_chunker.enable": ("TORCHINDUCTOR_AUTO_CHUNKER",),
    "auto_chunker.num_chunk": ("TORCHINDUCTOR_CHUNKER_NUM_CHUNKS",),
    "benchmark_template_fusion": (
        "TORCHINDUCTOR_BENCHMARK_TEMPLATE_FUSION", "TORCHINDUCTOR_BENCHMARK_EPILOGUE_FUSION",
    ),
    "bmm_shared_a": ("TORCHINDUCTOR_BMM_SHARED_A_TEMPLATE_ENABLED",),
    "coordinate_descent_search_radius": ("TORCHINDUCTOR_COORDINATE_DESCENT_RADIUS",),
    "cpp.cxx": ("CXX",),
    "cpp.enable_tiling_heuristics": ("TORCHINDUCTOR_CPP_ENABLE_TILING_HEURISTIC",),
    "cpp.vec_isa_ok": ("TORCHINDUCTOR_VEC_ISA_OK",),
    "cutedsl_enable_autotuning": ("CUTEDSL_ENABLE_AUTOTUNING",),
    "cutlass.cutlass_epilogue_fusion_enabled": ("CUTLASS_EPILOGUE_FUSION",),
    "cutlass.cutlass_op_allowlist_regex": ("TORCHINDUCTOR_CUTLASS_ALLOWLIST",),
    "cutlass.cutlass_op_denylist_regex": ("TORCHINDUCTOR_CUTLASS_DENYLIST",),
    "cutlass.generate_test_runner": ("INDUCTOR_CUDA_BACKEND_GENERATE_TEST_RUNNER_CODE",),
    "eager_numerics.division_rounding": ("TORCHINDUCTOR_EMULATE_DIVISION_ROUNDING",),
    "enable_auto_functionalized_v2": ("TORCHDYNAMO_AUTO_FUNCTIONALIZED_V2",),
    "flydsl_enable_autotuning": ("FLYDSL_ENABLE_AUTOTUNING",),
    "force_layout_optimization": ("TORCHINDUCTOR_FORCE_LAYOUT_OPT",),
    "inductor_default_autotune_rep": ("TORCHINDUCTOR_DEFAULT_AUTOTUNE_REP",),
    "inductor_default_autotune_warmup": ("TORCHINDUCTOR_DEFAULT_AUTOTUNE_WARMUP",),
    "log_tlparse": ("LOG_TLPARSE",),
    "max_autotune_conv_bwd_input_backends": (
        "TORCHINDUCTOR_MAX_AUTOTUNE_BWD_INPUT_CONV_BACKENDS",
    ),
    "max_autotune_conv_bwd_weight_backends": (
        "TORCHINDUCTOR_MAX_AUTOTUNE_BWD_WEIGHT_CONV_BACKENDS",
    ),
    "pipeline_max_autotune_gemm": ("TORCHINDUCTOR_PIPELINE_GEMM_AUTOTUNING",),
    "profile_bandwidth_output": ("TORCHINDUCTOR_PROFILE_OUTPUT",),
    "profile_bandwidth_with_do_bench_using_profiling": (
        "TORCHINDUCTOR_PROFILE_WITH_DO_BENCH_USING_PROFILING",
    ),
    "reorder_for_locality_in_training": ("TORCHINDUCTOR_REORDER_LOCALITY_TRAINING",),
    "rocm.generate_test_runner": ("INDUCTOR_CK_BACKEND_GENERATE_TEST_RUNNER_CODE",),
    "torchinductor_worker_logpath": ("TORCHINDUCTOR_WORKER_LOGPATH",),
    "triton.enable_host_side_tma": ("ENABLE_HOST_SIDE_TMA",),
    "triton.enable_persistent_tma_matmul": ("ENABLE_PERSISTENT_TMA_MATMUL",),
    "triton.enable_template_autows": ("ENABLE_TEMPLATE_AUTOWS",),
    "triton.enable_template_tma_store": ("ENABLE_TEMPLATE_TMA_STORE",),
    "triton.enable_tma_load_for_template_epilogue": ("ENABLE_TMA_LOAD_FOR_TEMPLATE_EPILOGUE",),
    "triton.skip_l1_cache": ("TORCHINDUCTOR_SKIP_L1",),
}  # fmt: skip
# Of AOTAutograd (``torch._functorch.config``), where most settings have none.
VARIABLES_OF_AOTAUTOGRAD: dict[str, tuple[str, ...]] = {
    "autograd_cache_allow_custom_autograd_functions": (
        "TORCHINDUCTOR_AUTOGRAD_CACHE_ALLOW_CUSTOM_AUTOGRAD",
    ),
    # Inductor turns it on itself while it traces for debugging.
    "debug_partitioner": ("AOT_PARTITIONER_DEBUG", "TORCH_COMPILE_DEBUG"),
    "enable_autograd_cache": ("TORCHINDUCTOR_AUTOGRAD_CACHE",),
    "enable_remote_autograd_cache": ("TORCHINDUCTOR_AUTOGRAD_REMOTE_CACHE",),
    "error_on_custom_op_aliasing": ("TORCHINDUCTOR_ERROR_ON_CUSTOM_OP_ALIASING", "CI"),
    "fake_tensor_allow_meta": ("FAKE_ALLOW_META",),
    "memory_budget_pareto_dir": ("PARTITIONER_MEMORY_BUDGET_PARETO_DIR",),
    "torch_compile_graph_format": ("TORCH_COMPILE_GRAPH_FORMAT",),
    "visualize_memory_budget_pareto": ("PARTITIONER_MEMORY_BUDGET_PARETO",),
}
# Groups of settings whose variables repeat the group's name, and what comes before them.
_GROUPS = {
    "aot_inductor": "AOT_INDUCTOR_", "cpp": "TORCHINDUCTOR_CPP_",
    "cutlass": "TORCHINDUCTOR_CUTLASS_",
}  # fmt: skip


def variables_of_inductor(setting: str) -> tuple[str, ...]:
    """Return the variables of the environment that one of inductor's settings may start from."""
    own = _VARIABLES.get(setting)
    if own is not None:
        return own
    group, _, name = setting.rpartition(".")
    if group == "triton" and name.startswith("proton_"):
        name = f"triton_{name}"
    # ``cutlass.cutlass_dir`` has it once.
    begins = _GROUPS.get(group, "") if not name.startswith(f"{group}_") else ""
    return (f"{begins or 'TORCHINDUCTOR_'}{name.upper()}",)
