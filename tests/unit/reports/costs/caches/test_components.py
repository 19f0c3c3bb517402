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
    ],
)
def test_the_variable_of_a_setting_of_inductor(name: str, variable: str) -> None:
    about = component(f"inductor_config[{name}]")
    assert about.variables == (variable,)
    assert about.code == (f"config.{name}",)
    assert name in about.meaning


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("gm", "graph"),
        ("example_inputs[3]", "inputs"),
        ("fx_kwargs[static_input_idxs]", "derived"),
        ("cpp_runtime_thread_count", "setting"),
        ("autograd_config[treat_parameters_as_free_to_save]", "setting"),
        ("post_grad_custom_pre_pass", "setting"),
        ("not known yet", "setting"),
    ],
)
def test_the_family_says_what_follows_from_what(name: str, family: str) -> None:
    assert component(name).family == family


def test_names_are_split_at_the_first_bracket() -> None:
    assert split("inductor_config[a[b]]") == ("inductor_config", "a[b]")
    assert split("gm") == ("gm", None)
    assert split("system_info[device][name]") == ("system_info", "device][name")
