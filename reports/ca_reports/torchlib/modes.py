"""What sets torch's modes: of gradients, of autocast, of the whole process.

Looked up in torch 2.13.0 (`tests/unit/reports/torchlib/test_modes.py`). Tables that calls
are searched for by are in an order.
"""

from __future__ import annotations

# Below these nothing is recorded for a backward.
WITHOUT_GRAPH = ("no_grad", "inference_mode")
GRADIENTS = (*WITHOUT_GRAPH, "enable_grad", "set_grad_enabled")
AUTOCAST = "autocast"
# Where torch has `autocast`.
AUTOCAST_NAMES = (
    "torch.autocast", "torch.amp.autocast", "torch.cuda.amp.autocast", "torch.cpu.amp.autocast",
)  # fmt: skip
# What changes a mode, by the mode's name in torch's guards (anomaly mode is in none).
SETTERS = {
    "grad_mode": GRADIENTS,
    "inference_mode": ("inference_mode",),
    "autocast": (AUTOCAST, "autocast_decorator", "set_autocast_enabled"),
    "anomaly": ("detect_anomaly", "set_detect_anomaly", "set_anomaly_enabled"),
    "deterministic_algorithms": ("use_deterministic_algorithms",),
    "default_dtype": ("set_default_dtype", "set_default_tensor_type"),
    "num_threads": ("set_num_threads",),
    "allow_tf32": ("set_float32_matmul_precision",),
}
# What tells the setting that a function of these sets, to be given back to it.
GETTERS = {
    "set_default_dtype": "get_default_dtype",
    "set_num_threads": "get_num_threads",
    "set_float32_matmul_precision": "get_float32_matmul_precision",
    "use_deterministic_algorithms": "are_deterministic_algorithms_enabled",
}
# A default device is a mode of this kind.
FUNCTION_MODES = ("TorchFunctionMode", "DeviceContext")
# Attributes of `torch.backends`, set by themselves.
BACKEND_FLAGS = ("allow_tf32", "fp32_precision", "allow_fp16_reduced_precision_reduction")
