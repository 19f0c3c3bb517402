"""What functions and methods of torch, numpy and Python do to the sizes and strides of tensors.

By their last names, as source is read. Each was called with torch 2.13.0 and numpy 2.3
(`tests/unit/reports/torchlib/test_shapes.py`). Tables that calls are searched for by are in an
order.
"""

from __future__ import annotations

# Cutting

# Tensors are cut along the dimension of the last argument, `dim`, which is 0 if left out.
SPLITS_OF_TENSORS = ("split", "chunk", "tensor_split", "split_with_sizes", "unsafe_split",
                     "unsafe_chunk")  # fmt: skip
# And arrays and iterables into pieces, of which the last may be short.
SPLITS = (*SPLITS_OF_TENSORS, "array_split", "batched")
CUTS = (*SPLITS, "islice")
# What gives parts that share the storage of the whole, and begin further on in it.
PARTS = (*SPLITS_OF_TENSORS, "unbind", "narrow", "select")

# Putting together: a sequence of tensors, along a dimension that they have; `stack` adds one.
CONCATENATES = ("cat", "concat", "concatenate")
JOINS = (*CONCATENATES, "hstack", "vstack")

# Strides

# The dimensions in another order.
PERMUTES = ("permute", "transpose", "swapaxes", "swapdims", "movedim", "moveaxis")
# What gives a contiguous tensor other strides.
STRIDED = (*PERMUTES, "t", "rot90", "expand", "expand_as", "broadcast_to", "as_strided")
# What takes a `memory_format`: methods of tensors, `to` of modules too.
TAKES_MEMORY_FORMAT = ("to", "contiguous", "clone")
# Attributes that are the tensor transposed.
TRANSPOSED = ("T", "mT", "H", "mH")
# Dimensions are added, taken out, or made one.
CHANGES_RANK = ("squeeze", "unsqueeze", "flatten", "unflatten")
# One dimension less, which `dim` names, unless `keepdim`.
REDUCTIONS = frozenset(
    ("mean", "sum", "amax", "amin", "max", "min", "argmax", "argmin", "std", "var", "norm", "prod")
)

# Sizes that values decide

# The values of a tensor decide how large the result is: torch tags their operators
# `dynamic_output_shape`; `nms` is torchvision's.
BY_VALUE = ("nonzero", "masked_select", "unique", "unique_consecutive", "argwhere", "bincount",
            "repeat_interleave", "nms")  # fmt: skip
# A number among the arguments decides, beside the sizes of what is given.
BY_NUMBER = frozenset(
    ("pad", "narrow", "interpolate", "resize", "crop", "repeat", "tile", "expand", "topk",
     "sample", "choices", "islice", "unfold", "upsample", "center_crop", "sliding_window")
)  # fmt: skip

# Making tensors

# Every argument by position is a size, or the first is all of them.
OF_SIZES = ("randn", "rand", "zeros", "ones", "empty")
# And what draws numbers of a size, which comes last; the second is numpy's.
SIZED = (*OF_SIZES, "normal", "standard_normal")
# The position of the argument that is all sizes.
SIZE_AT = {"full": 0, "randint": -1}
# Makers whose elements say nothing: they are filled in later, or stand for none.
BLANK = frozenset(("zeros", "ones", "empty", "full"))
# One dimension as long as the numbers say; `eye` is square.
RANGES = ("arange", "randperm", "eye", "linspace")
# Methods of a tensor that make another one of its dtype, on its device.
OF_ANOTHER = ("new_zeros", "new_ones", "new_full", "new_empty", "new_tensor")
# Those that a program makes its data with.
MAKERS = (*OF_SIZES, *SIZE_AT, "normal", "arange")
# What numpy's generators draw, and at which position the size is: one value, where it is left out.
DRAWN = {"choice": 1, "integers": 2, "uniform": 2, "poisson": 1, "exponential": 1, "binomial": 2}
# What takes sizes and counts: it makes a tensor of that many elements, or another view of one.
TAKES_SIZES = frozenset((*MAKERS, *RANGES, *OF_ANOTHER)) - {"new_tensor"}
TAKES_COUNTS = frozenset(
    (*("chunk", "unsafe_chunk", "split", "split_with_sizes", "unsafe_split", "tensor_split"),
     *("unflatten", "narrow"),
     *("repeat", "tile", "view", "reshape", "expand", "unfold", "topk", "roll", "tril", "triu"),
     *("full_like", "one_hot"))
)  # fmt: skip
# Those that take a dynamic number as one: `range`, `chunk`, `split`, `dropout` and an index read
# its value, and are compiled for each (measured with torch 2.13).
TAKES_DYNAMIC = frozenset(
    ("topk", "kthvalue", "narrow", "clamp", "clip", "tril", "triu", "roll", "arange", "zeros",
     "ones", "new_zeros", "new_ones", "view", "reshape", "repeat", "expand", "interpolate", "min",
     "max")
)  # fmt: skip
