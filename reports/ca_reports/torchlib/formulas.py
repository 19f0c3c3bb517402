"""Functions of torch that take Python numbers only, and how to write them with tensors.

With a tensor in a number's place Dynamo ends its graph, as torch asks the tensor for its number
(measured with torch 2.13.0: each of them splits the graph, unless
``torch._dynamo.config.capture_scalar_outputs`` is set).
"""

from __future__ import annotations

from typing import NamedTuple

from ca_reports.torchlib.modules import DROPOUTS


class Formula(NamedTuple):
    """A function of `torch.nn.functional`, ``number`` one of its ``parameters``.

    ``short`` tells what it computes, with the number as ``{name}``; ``body`` does it by its
    documentation, with reduction by the mean.
    """

    name: str
    parameters: tuple[str, ...]
    number: str
    short: str
    body: str


FORMULAS = (
    Formula(
        "leaky_relu",
        ("input", "negative_slope"),
        "negative_slope",
        "torch.where(x > 0, x, {name} * x)",
        "return {torch}.where(input > 0, input, negative_slope * input)",
    ),
    Formula(
        "elu",
        ("input", "alpha"),
        "alpha",
        "torch.where(x > 0, x, {name} * torch.expm1(x))",
        "return {torch}.where(input > 0, input, alpha * {torch}.expm1(input.clamp(max=0)))",
    ),
    Formula(
        "huber_loss",
        ("input", "target", "delta"),
        "delta",
        "torch.where(error < {name}, error**2 / 2, {name} * (error - {name} / 2)).mean()",
        "error = (input - target).abs()\n"
        "    quadratic = error.square() / 2\n"
        "    return {torch}.where(error < delta, quadratic, delta * (error - delta / 2)).mean()",
    ),
    Formula(
        "smooth_l1_loss",
        ("input", "target", "beta"),
        "beta",
        "torch.where(error < {name}, error**2 / (2 * {name}), error - {name} / 2).mean()",
        "error = (input - target).abs()\n"
        "    quadratic = error.square() / (2 * beta)\n"
        "    return {torch}.where(error < beta, quadratic, error - beta / 2).mean()",
    ),
    Formula(
        "celu",
        ("input", "alpha"),
        "alpha",
        "torch.where(x > 0, x, {name} * torch.expm1(x / {name}))",
        "below = alpha * {torch}.expm1(input.clamp(max=0) / alpha)\n"
        "    return {torch}.where(input > 0, input, below)",
    ),
    Formula(
        "hardshrink",
        ("input", "lambd"),
        "lambd",
        "torch.where(x.abs() > {name}, x, 0.0)",
        "return {torch}.where(input.abs() > lambd, input, 0.0)",
    ),
    Formula(
        "softshrink",
        ("input", "lambd"),
        "lambd",
        "torch.where(x.abs() > {name}, x - x.sign() * {name}, 0.0)",
        "return {torch}.where(input.abs() > lambd, input - input.sign() * lambd, 0.0)",
    ),
    Formula(
        "softplus",
        ("input", "beta"),
        "beta",
        "torch.nn.functional.softplus({name} * x) / {name}",
        "scaled = input * beta\n"
        "    curved = {torch}.log1p({torch}.exp(scaled.clamp(max=20))) / beta\n"
        "    return {torch}.where(scaled > 20, input, curved)",
    ),
    Formula(
        "cross_entropy",
        ("input", "target", "label_smoothing"),
        "label_smoothing",
        "(1 - {name}) * cross_entropy(x, y) - {name} * log_softmax(x, 1).mean()",
        "classes = min(input.dim() - 1, 1)\n"
        "    own = {torch}.nn.functional.cross_entropy(input, target)\n"
        "    every = -{torch}.log_softmax(input, classes).mean()\n"
        "    return (1 - label_smoothing) * own + label_smoothing * every",
    ),
)
# Others that a person writes with tensors: their random numbers, or what they take, differ.
OTHERS_WRITTEN = {
    "full_like": "torch.ones_like(x) * {name}",
    "new_full": "x.new_ones(size) * {name}",
    "dropout": "x * (torch.rand_like(x) >= {name}) / (1 - {name})",
    "hardtanh": "torch.clamp(x, min=…, max={name})",
    "margin_ranking_loss": "torch.clamp({name} - y * (a - b), min=0).mean()",
    "threshold": "torch.where(x > {name}, x, value)",
    "triplet_margin_loss": "torch.clamp(d(a, p) - d(a, n) + {name}, min=0).mean()",
}
# Parameters of other functions of `torch.nn.functional` that must be Python numbers.
NUMBERS = frozenset(
    ("alpha", "beta", "delta", "dropout_p", "eps", "label_smoothing", "lambd", "margin",
     "max_norm", "momentum", "negative_slope", "p", "scale_factor", "size", "threshold", "value")
)  # fmt: skip
# Functions that take one as their second argument.
SECOND = frozenset(
    (*DROPOUTS, "celu", "elu", "hardshrink", "leaky_relu", "pad", "softplus", "softshrink",
     "threshold")
)  # fmt: skip
# Functions of `math` that torch has by the same name, of one number.
OF_MATH = frozenset(
    ("cos", "sin", "tan", "acos", "asin", "atan", "cosh", "sinh", "tanh", "exp", "expm1",
     "log", "log1p", "log2", "log10", "sqrt", "floor", "ceil", "erf", "erfc", "lgamma")
)  # fmt: skip
# Functions of Python that make a number of what they get.
CONVERTING = frozenset(("int", "float", "round", "bool", "complex", "divmod"))
# Those of them that raise for a tensor, outside of a graph as well.
NUMBERS_ONLY = frozenset(("round", "divmod"))
# Functions that write what they get: of a tensor its value, which is not known in a graph.
WRITING = frozenset(
    ("print", "debug", "info", "warning", "error", "add_scalar", "str", "repr", "format")
)
# How functions begin that take a factor of what they add as ``alpha``, which is to be a number.
ADDING = ("add", "sub", "baddbmm")
# Functions of `math` that tensors have as an operator, of two numbers.
OPERATORS_OF_MATH = {"pow": "**"}
# Functions that take what they add, and then ``alpha``.
TAKES_ALPHA = frozenset(("add", "sub", "add_", "sub_"))
# Functions with a factor of what they add, and which of the arguments by place it multiplies.
FACTOR_OF: dict[str, tuple[str, int]] = {
    **dict.fromkeys(TAKES_ALPHA, ("alpha", -1)),
    **dict.fromkeys(("addcmul", "addcdiv", "addcmul_", "addcdiv_"), ("value", -2)),
}
# Arguments that are factors of what a function adds, and are to be numbers.
FACTORS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("add", "sub", "rsub"), ("alpha",)),
    **dict.fromkeys(("addmm", "addmv", "addr", "addbmm", "baddbmm"), ("alpha", "beta")),
    **dict.fromkeys(("addcmul", "addcdiv"), ("value",)),
}
# Methods of a tensor, and functions of torch, that take a number or a tensor of one.
TAKING_EITHER = frozenset(
    ("add", "sub", "mul", "div", "pow", "clamp", "clip", "lerp", "fill_", "masked_fill", "where",
     "add_", "sub_", "mul_", "div_", "pow_", "clamp_", "lerp_", "masked_fill_", "maximum",
     "minimum", "eq", "ne", "lt", "le", "gt", "ge", "tensor", "as_tensor", "scalar_tensor",
     "index_select", "gather", "scatter", "take")
)  # fmt: skip
