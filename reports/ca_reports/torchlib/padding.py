"""What functions of torch do to the part of a tensor that is padding.

By their last names, methods included. Each was called with torch 2.13.0
(`tests/unit/reports/torchlib/test_padding.py`).
"""

from __future__ import annotations

from math import inf

# Padding stays what it is: another dtype, device, layout or graph, or a copy.
KEEPS = frozenset(
    ("clone", "contiguous", "cpu", "cuda", "detach", "to", "type_as", "pin_memory",
     "requires_grad_", "double", "half", "bfloat16", "int")
)  # fmt: skip
# The same as a number of another kind.
CONVERTS = {"float": float, "long": float, "bool": bool}
# Computed from each element by itself, and finite wherever it is; zero of zero.
OF_ZERO_ZERO = frozenset(
    ("abs", "celu", "elu", "erf", "gelu", "hardswish", "hardtanh", "leaky_relu", "mish", "neg",
     "negative", "relu", "relu6", "selu", "sign", "silu", "sin", "softsign", "square", "tan",
     "tanh", "tanhshrink")
)  # fmt: skip
# The same, whatever zero gives.
ELEMENTWISE = frozenset(("cos", "exp", "hardsigmoid", "logsigmoid", "sigmoid", "softplus"))
# Along the dimension of each, and no further.
NORMALIZES = frozenset(("log_softmax", "softmax", "normalize"))
# Of a reduction: what has no part in it.
NEUTRAL: dict[str, float] = {
    "sum": 0.0,
    "nansum": 0.0,
    "count_nonzero": 0.0,
    "any": 0.0,
    "all": 1.0,
    "prod": 1.0,
    "max": -inf,
    "amax": -inf,
    "argmax": -inf,
    "logsumexp": -inf,
    "min": inf,
    "amin": inf,
    "argmin": inf,
}
# Reductions in which each element takes part: their number is in the result.
COUNTS = frozenset(("mean", "std", "var", "std_mean", "var_mean", "nanmean", "median"))
# Comparisons, by their operators.
COMPARES = {
    "eq": lambda one, other: one == other,
    "ne": lambda one, other: one != other,
    "lt": lambda one, other: one < other,
    "le": lambda one, other: one <= other,
    "gt": lambda one, other: one > other,
    "ge": lambda one, other: one >= other,
}
# Make a tensor of one number: which, where none is given.
MADE_OF = {
    "zeros": 0.0,
    "ones": 1.0,
    "zeros_like": 0.0,
    "ones_like": 1.0,
    "new_zeros": 0.0,
    "new_ones": 1.0,
}
# Make a tensor of a given number, which is the argument at this place.
FILLED = {"full": 1, "full_like": 1, "new_full": 2}
# Random numbers: of another size the later ones are others.
DRAWS = frozenset(("rand", "randn", "rand_like", "randn_like", "bernoulli", "multinomial"))
# The dimensions in another order, or other dimensions of the same elements in the same order.
RESHAPES = frozenset(
    ("flatten", "reshape", "squeeze", "unflatten", "unsqueeze", "view", "view_as", "reshape_as")
)
BROADCASTS = frozenset(("expand", "expand_as", "broadcast_to"))
# Losses of classes: what `ignore_index` names has no part in their mean.
IGNORES = {"cross_entropy": "CrossEntropyLoss", "nll_loss": "NLLLoss"}
# `ignore_index`, where none is given.
IGNORED = -100
# Losses of each element, and means of all unless `reduction` says otherwise.
OF_ELEMENTS = {
    "binary_cross_entropy_with_logits": "BCEWithLogitsLoss",
    "mse_loss": "MSELoss",
    "l1_loss": "L1Loss",
    "smooth_l1_loss": "SmoothL1Loss",
    "huber_loss": "HuberLoss",
}
