"""What methods, attributes and functions tell of a value: that it is a tensor, or is none.

By their last names. Each was looked up in torch 2.13.0
(`tests/unit/reports/torchlib/test_tensors.py`).
"""

from __future__ import annotations

# The same values off the graph; the second in place.
DETACHES = ("detach", "detach_")
# Another tensor than the one that is kept.
APART = frozenset(("detach", "clone"))
# The values of a tensor as Python's or numpy's: the graph ends there.
INTO_PYTHON = ("item", "tolist", "numpy")
# Functions and methods of a tensor that give one of `bool`, true or false by its values.
OF_BOOL = frozenset(("any", "all", "isnan", "isinf", "isfinite"))
# Attributes and methods that tell the sizes of a tensor: numbers.
SIZES = frozenset(("shape", "size", "dim", "ndim", "numel"))
# What is the same for all that is computed with a tensor, whatever its values are.
OF_A_KIND = ("device", "dtype", "shape", "size", "ndim")
# Attributes that are tensors.
VIEWS = frozenset(("T", "mT", "H", "mH", "data", "grad", "real", "imag"))
# Methods that may give a tensor of the same memory: what is written to it is written to the first.
OF_SAME_MEMORY = frozenset(
    ("view", "view_as", "reshape", "flatten", "unflatten", "ravel", "squeeze", "unsqueeze",
     "transpose", "permute", "movedim", "t", "narrow", "select", "expand", "expand_as", "diagonal",
     "unbind", "chunk", "split", "detach", "contiguous", "to", "float", "double", "half", "type_as",
     "requires_grad_")
)  # fmt: skip
# Methods that multiply a tensor in place by what they are given: zeros stay zeros.
SCALES_IN_PLACE = frozenset(("mul_", "div_", "neg_", "zero_"))
# Modules of torch whose functions compute tensors.
COMPUTING = ("torch.", "torch.nn.functional.", "torch.linalg.", "torch.special.", "torch.fft.")
# Classes of what a model trains, as a record names them.
PARAMETER_TYPES = frozenset(
    ("torch.nn.parameter.Parameter", "torch.nn.parameter.UninitializedParameter")
)
# Functions of torch that return no tensor, and methods of a tensor that do not.
NO_TENSOR = frozenset(
    (*INTO_PYTHON, *SIZES, "element_size", "stride", "type", "device", "dtype", "Size", "finfo",
     "iinfo", "compile", "Generator", "manual_seed", "get_default_dtype", "data_ptr", "ndimension",
     "storage_offset", "nelement")
)  # fmt: skip
# Methods that only tensors have, in code that a compiler of tensors takes.
ONLY_OF_TENSORS = frozenset(
    ("argsort", "softmax", "log_softmax", "sigmoid", "logsumexp", "unsqueeze", "cumsum",
     "masked_fill", "index_select", "gather", "scatter", "scatter_add", "expand_as", "new_zeros",
     "new_ones", "new_full", "new_empty", "new_tensor", "clone", "detach", "requires_grad_")
)  # fmt: skip
# What is asked of a variable that is a tensor: it may be an array too.
ASKED_OF_TENSORS = frozenset(
    ("shape", "size", "dim", "ndim", "view", "reshape", "dtype", "device", "sum", "mean", "norm",
     "unsqueeze", "squeeze", "flatten", "transpose", "permute", "detach", "requires_grad", "abs",
     "softmax", "log_softmax", "sigmoid", "unbind", "chunk", "backward", "argmax", "grad")
)  # fmt: skip
# What only a tensor of truths has, and no `bool`: `(loss > limit).float()` compares a tensor.
ASKED_OF_MASKS = frozenset(
    ("float", "to", "type", "type_as", "long", "int", "sum", "mean", "any", "all", "nonzero")
)
# Methods of tensors, and of what holds them, that a program's own functions share a name with.
COMMON_METHODS = frozenset(
    ("to", "float", "double", "half", "clone", "detach", "contiguous", "mean", "sum", "item",
     "copy")
)  # fmt: skip
# What makes a tensor of an array as it is, whose numbers numpy computes in double precision.
OF_NUMPY = ("from_numpy", "as_tensor", "asarray", "from_dlpack")
# Functions that make a tensor of what Python or numpy has.
OF_DATA = frozenset(("tensor", "LongTensor", "FloatTensor", *OF_NUMPY))
# Methods by the dtype of what they return.
DTYPE_OF_METHOD = {"double": "float64", "float": "float32", "half": "float16"}
# How torch's reasons, which use the names of C++ (`c10::ScalarType`), call `torch.float32`.
SCALAR_TYPES = {
    "float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16",
    "int64": "Long", "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte",
    "bool": "Bool",
}  # fmt: skip
# Those of floating point, by the name in a reason: `Float` → `float32`.
FLOATING = {told: name for name, told in SCALAR_TYPES.items() if "float" in name}
# Their numbers in a captured graph, which are part of torch's ABI (c10/core/ScalarType.h).
SCALAR_NUMBERS = {
    0: "uint8", 1: "int8", 2: "int16", 3: "int32", 4: "int64", 5: "float16", 6: "float32",
    7: "float64", 8: "complex32", 9: "complex64", 10: "complex128", 11: "bool", 15: "bfloat16",
}  # fmt: skip

# Operations in place that put other values in the place of all that were there.
OVERWRITES = frozenset(("copy_", "fill_", "zero_"))
