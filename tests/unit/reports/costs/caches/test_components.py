"""What a part of a key means, and where it is set."""

from __future__ import annotations

import pytest

from ca_reports.costs.caches.components import component, split


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("max_autotune", "TORCHINDUCTOR_MAX_AUTOTUNE"),
        ("cpp.march", "TORCHINDUCTOR_CPP_MARCH"),
        ("triton.cudagraphs", "TORCHINDUCTOR_CUDAGRAPHS"),
        ("triton.skip_l1_cache", "TORCHINDUCTOR_SKIP_L1"),
        ("force_layout_optimization", "TORCHINDUCTOR_FORCE_LAYOUT_OPT"),
        ("cutlass.cutlass_dir", "TORCHINDUCTOR_CUTLASS_DIR"),
        ("cutlass.compile_opt_level", "TORCHINDUCTOR_CUTLASS_COMPILE_OPT_LEVEL"),
        ("aot_inductor.debug_symbols", "AOT_INDUCTOR_DEBUG_SYMBOLS"),
        ("triton.proton_profiling", "TORCHINDUCTOR_TRITON_PROTON_PROFILING"),
        ("cpp.cxx", "CXX"),
    ],
)
def test_the_variable_of_a_setting_of_inductor(name: str, variable: str) -> None:
    about = component(f"inductor_config[{name}]")
    assert about.variables == (variable,)
    assert about.code == (f"config.{name}",)
    assert name in about.meaning


def test_a_pass_is_set_where_inductors_setting_is() -> None:
    about = component("post_grad_custom_post_pass")
    assert about.code == ("config.post_grad_custom_post_pass",)
    assert "uuid" in (about.remedy or "")


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("gm", "graph"),
        ("example_inputs[3]", "inputs"),
        ("fx_kwargs[static_input_idxs]", "derived"),
        ("cpp_runtime_thread_count", "setting"),
        ("autograd_config[treat_parameters_as_free_to_save]", "setting"),
        ("post_grad_custom_pre_pass", "setting"),
        ("_fuse_ddp_communication_passes", "setting"),
        ("disable_amp", "setting"),
        ("inputs_to_check", "derived"),
        ("act_input_paths", "derived"),
        ("not known yet", "setting"),
    ],
)
def test_the_family_says_what_follows_from_what(name: str, family: str) -> None:
    assert component(name).family == family


def test_names_are_split_at_the_first_bracket() -> None:
    assert split("inductor_config[a[b]]") == ("inductor_config", "a[b]")
    assert split("gm") == ("gm", None)
    assert split("system_info[device][name]") == ("system_info", "device][name")


# ``self.NAME`` of ``FxGraphHashDetails`` and ``AOTAutogradCacheDetails`` in 2.11.0 to 2.15.0.
OF_VERSIONS = [
    "_custom_partitioner_fn", "_fuse_ddp_communication_passes", "_post_fusion_custom_pass",
    "_pre_fusion_custom_pass", "act_input_paths", "aot_config", "autocast_state",
    "autograd_config", "cache_key_tag", "compile_on_one_rank", "cpp_runtime_thread_count",
    "cuda_matmul_settings", "cudagraph_annotation", "cudagraph_override",
    "custom_backend_codegen_configs", "custom_backend_codegen_implications",
    "custom_backend_passes", "custom_estimator_solver_uuids", "default_cuda_device_index",
    "default_dtype", "deterministic_algorithms", "deterministic_algorithms_settings",
    "disable_amp", "example_inputs", "fx_kwargs", "gm", "grad_enabled", "inductor_config",
    "inductor_config_comms", "inputs_to_check", "joint_custom_post_pass",
    "joint_custom_pre_pass", "nested_inductor_config_patches", "post_grad_custom_post_pass",
    "post_grad_custom_pre_pass", "pre_grad_custom_pass", "precompile_enabled",
    "provenance_tracking_level", "provenance_tracking_to_timeline",
    "region_activation_memory_budget", "region_activation_memory_budget_annotations",
    "sac_context_fn_hashes", "saved_tensors_hooks_fx_wrap_cache_hashes", "system_info",
    "torch_version", "triton_kernel_source_codes", "user_defined_triton_source",
    "var_to_hint_override",
]  # fmt: skip


@pytest.mark.parametrize("name", OF_VERSIONS)
def test_each_part_of_a_key_of_2_11_to_2_15_has_a_meaning(name: str) -> None:
    assert component(name).meaning != component("not known yet").meaning
