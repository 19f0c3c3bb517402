"""Settings of inductor that its caches depend on, by the names of their attributes.

Looked up in torch 2.13.0 (`tests/unit/reports/torchlib/test_inductor.py`).
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
# Passes of the program's own over graphs: without a `uuid()` no cache takes what they made.
PASSES = (
    "pre_grad_custom_pass", "post_grad_custom_pre_pass", "post_grad_custom_post_pass",
    "joint_custom_pre_pass", "joint_custom_post_pass", "_pre_fusion_custom_pass",
    "_post_fusion_custom_pass", "_fuse_ddp_communication_passes",
)  # fmt: skip
# What makes weights a part of the code.
FREEZING = ("freezing", "use_runtime_constant_folding")
# What turns caches off.
CACHES = ("fx_graph_cache", "force_disable_caches", "enable_autograd_cache")
