"""Lists what functions and modules of torch, of Python and numpy do besides computing.

Each was looked up in torch 2.13.0, numpy 2.3 and Python 3.10 to 3.14
(`tests/unit/reports/torchlib/test_effects.py`).
"""

from __future__ import annotations

from ca_reports.torchlib.modules import DROPOUTS

# Functions and methods of torch that draw from its generators.
DRAWS = frozenset(
    (*DROPOUTS, "rand", "rand_like", "randn", "randn_like", "randint", "randint_like", "randperm",
     "normal", "bernoulli", "multinomial", "poisson", "binomial", "gumbel_softmax", "rrelu",
     "fractional_max_pool2d", "fractional_max_pool3d", "multivariate_normal", "rsample",
     "uniform_", "normal_", "random_", "exponential_", "geometric_", "cauchy_", "log_normal_",
     "bernoulli_", "trunc_normal_", "xavier_uniform_", "xavier_normal_", "kaiming_uniform_",
     "kaiming_normal_", "orthogonal_", "sparse_")
)  # fmt: skip
# Modules of which all functions do, but for those that only read.
DRAWING_MODULES = ("random.", "numpy.random.", "secrets.", "torch.distributions.")
# Methods that make or drop gradients, or move what they are of: a step of a training.
TRAINS = frozenset(("backward", "zero_grad"))
# Methods of generators, of Python's and numpy's, that no tensor has.
OF_GENERATORS = frozenset(
    ("betavariate", "choice", "choices", "expovariate", "gammavariate", "gauss", "lognormvariate",
     "normalvariate", "paretovariate", "random", "randrange", "sample", "shuffle", "triangular",
     "uniform", "vonmisesvariate", "weibullvariate", "integers", "permutation", "standard_normal",
     *("randint", "rand", "randn", "rsample", "exponential", "dirichlet"))
)  # fmt: skip
# Arguments by which functions of torch, or the modules that they make, drop at random.
DROPS = ("dropout", "dropout_p", "p_drop")
# Modules that draw in each call while they train; with an argument of `DROPS` others do, too.
DRAWING = frozenset(
    ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout",
     "RReLU", "FractionalMaxPool2d", "FractionalMaxPool3d", "Transformer", "TransformerEncoder",
     "TransformerEncoderLayer", "TransformerDecoder", "TransformerDecoderLayer")
)  # fmt: skip
# Modules and functions that update what they keep of their inputs, while they train.
COUNTING = frozenset(
    ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm", "LazyBatchNorm1d",
     "LazyBatchNorm2d", "LazyBatchNorm3d", "batch_norm")
)  # fmt: skip
# Modules that only compute, with the weights that they have.
COMPUTING = frozenset(
    ("AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveLogSoftmaxWithLoss",
     "AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool2d",
     "AvgPool3d", "BCELoss", "BCEWithLogitsLoss", "Bilinear", "CELU", "CTCLoss", "ChannelShuffle",
     "CircularPad1d", "CircularPad2d", "ConstantPad1d", "ConstantPad2d", "Conv1d", "Conv2d",
     "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "CosineEmbeddingLoss",
     "CosineSimilarity", "CrossEntropyLoss", "ELU", "Embedding", "EmbeddingBag", "Flatten", "Fold",
     "GELU", "GLU", "GRU", "GRUCell", "GaussianNLLLoss", "GroupNorm", "Hardshrink", "Hardsigmoid",
     "Hardswish", "Hardtanh", "HingeEmbeddingLoss", "HuberLoss", "Identity", "InstanceNorm1d",
     "InstanceNorm2d", "InstanceNorm3d", "KLDivLoss", "L1Loss", "LPPool1d", "LPPool2d", "LSTM",
     "LSTMCell", "LayerNorm", "LeakyReLU", "Linear", "LocalResponseNorm", "LogSigmoid",
     "LogSoftmax", "MSELoss", "MarginRankingLoss", "MaxPool1d", "MaxPool2d", "MaxPool3d",
     "MaxUnpool1d", "MaxUnpool2d", "Mish", "MultiLabelMarginLoss", "MultiLabelSoftMarginLoss",
     "MultiMarginLoss", "MultiheadAttention", "NLLLoss", "PReLU", "PairwiseDistance",
     "PixelShuffle", "PixelUnshuffle", "PoissonNLLLoss", "RMSNorm", "RNN", "RNNCell", "ReLU",
     "ReLU6", "ReflectionPad1d", "ReflectionPad2d", "ReplicationPad1d", "ReplicationPad2d", "SELU",
     "SiLU", "Sigmoid", "SmoothL1Loss", "SoftMarginLoss", "Softmax", "Softmax2d", "Softmin",
     "Softplus", "Softshrink", "Softsign", "Tanh", "Tanhshrink", "Threshold", "TripletMarginLoss",
     "Unflatten", "Unfold", "Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d", "ZeroPad1d",
     "ZeroPad2d")
)  # fmt: skip
# Modules whose weights are drawn when they are made.
INITIALIZED = frozenset(
    ("Linear", "Bilinear", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d",
     "ConvTranspose3d", "Embedding", "EmbeddingBag", "GRU", "GRUCell", "LSTM", "LSTMCell", "RNN",
     "RNNCell", "MultiheadAttention", "AdaptiveLogSoftmaxWithLoss", "Transformer",
     "TransformerEncoderLayer", "TransformerDecoderLayer")
)  # fmt: skip
# Functions of torch that set something for the whole process, or write.
SETS = frozenset(
    ("manual_seed", "seed", "set_rng_state", "set_default_dtype", "set_default_device",
     "set_float32_matmul_precision", "set_num_threads", "set_grad_enabled", "save", "load",
     "backward", "mark_dynamic", "reset", "use_deterministic_algorithms")
)  # fmt: skip
# Functions of Dynamo's that only look something up.
LOOKS_UP = frozenset(("lookup_backend", "list_backends"))
# Built-in functions that write, read from outside, set, or go on.
ACTING = frozenset(("print", "next", "setattr", "delattr", "open", "input", "breakpoint"))
# And those that run a text.
RUNNING = frozenset(("exec", "eval", "__import__", "compile"))
# Modules of Python's and packages whose functions only compute what they are given.
PURE = (
    "builtins.", "math.", "cmath.", "numpy.", "itertools.", "functools.", "operator.",
    "collections.", "copy.", "dataclasses.", "typing.", "string.", "enum.", "types.", "einops.",
    "contextlib.", "fractions.", "statistics.", "bisect.",
)  # fmt: skip
# Methods of Python's texts, numbers and containers that change nothing.
OF_VALUES = frozenset(
    ("get", "items", "keys", "values", "copy", "index", "count", "format", "join", "split",
     "startswith", "endswith", "lower", "upper", "strip", "replace", "union", "intersection",
     "difference", "issubset", "issuperset", "bit_length", "is_integer", "most_common")
)  # fmt: skip
# Methods of a module that only give what it has.
OF_MODULES = frozenset(
    ("parameters", "named_parameters", "buffers", "named_buffers", "modules", "named_modules",
     "children", "named_children", "state_dict", "get_parameter", "get_submodule")
)  # fmt: skip
# Methods of the context of a `torch.autograd.Function`: what they keep is of that call.
OF_CONTEXTS = frozenset(
    ("save_for_backward", "save_for_forward", "mark_non_differentiable", "set_materialize_grads")
)
# Methods of a tensor, and functions of torch, that return another one, or a number of it.
COMPUTES = frozenset(
    ("abs", "absolute", "acos", "acosh", "add", "addbmm", "addcdiv", "addcmul", "addmm", "addmv",
     "addr", "adjoint", "all", "allclose", "amax", "amin", "aminmax", "angle", "any", "arccos",
     "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "argmax", "argmin", "argsort",
     "argwhere", "as_strided", "asin", "asinh", "atan", "atan2", "atanh", "baddbmm", "bfloat16",
     "bincount", "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or",
     "bitwise_right_shift", "bitwise_xor", "bmm", "bool", "broadcast_to", "byte", "ceil", "char",
     "cholesky", "chunk", "clamp", "clamp_max", "clamp_min", "clip", "clone", "coalesce", "conj",
     "conj_physical", "contiguous", "copysign", "corrcoef", "cos", "cosh", "count_nonzero", "cov",
     "cpu", "cross", "cuda", "cummax", "cummin", "cumprod", "cumsum", "deg2rad", "dense_dim",
     "det", "detach", "diag", "diag_embed", "diagflat", "diagonal", "diff", "digamma", "dim",
     "dim_order", "dist", "div", "divide", "dot", "double", "dsplit", "element_size", "eq",
     "equal", "erf", "erfc", "erfinv", "exp", "exp2", "expand", "expand_as", "expm1", "fix",
     "flatten", "flip", "fliplr", "flipud", "float", "float_power", "floor", "floor_divide",
     "fmax", "fmin", "fmod", "frac", "frexp", "gather", "gcd", "ge", "ger", "get_device",
     "greater", "greater_equal", "gt", "half", "hardshrink", "heaviside", "histc", "histogram",
     "hsplit", "hypot", "i0", "igamma", "igammac", "index", "index_add", "index_copy",
     "index_fill", "index_put", "index_reduce", "index_select", "indices", "inner", "int",
     "inverse", "is_coalesced", "is_complex", "is_conj", "is_contiguous", "is_floating_point",
     "is_inference", "is_nonzero", "is_same_size", "is_signed", "isclose", "isfinite", "isinf",
     "isnan", "isneginf", "isposinf", "isreal", "item", "kron", "kthvalue", "lcm", "ldexp", "le",
     "lerp", "less", "less_equal", "lgamma", "log", "log10", "log1p", "log2", "log_softmax",
     "logaddexp", "logaddexp2", "logcumsumexp", "logdet", "logical_and", "logical_not",
     "logical_or", "logical_xor", "logit", "logsumexp", "long", "lt", "lu", "masked_fill",
     "masked_scatter", "masked_select", "matmul", "matrix_exp", "matrix_power", "max", "maximum",
     "mean", "median", "min", "minimum", "mm", "mode", "moveaxis", "movedim", "msort", "mul",
     "multiply", "mv", "mvlgamma", "nan_to_num", "nanmean", "nanmedian", "nanquantile", "nansum",
     "narrow", "narrow_copy", "ndimension", "ne", "neg", "negative", "nelement", "new_empty",
     "new_empty_strided", "new_full", "new_ones", "new_tensor", "new_zeros", "nextafter",
     "nonzero", "nonzero_static", "norm", "not_equal", "numel", "numpy", "outer", "permute",
     "pin_memory", "pinverse", "polygamma", "positive", "pow", "prelu", "prod", "qr", "quantile",
     "rad2deg", "ravel", "reciprocal", "relu", "remainder", "repeat", "repeat_interleave",
     "reshape", "reshape_as", "roll", "rot90", "round", "rsqrt", "scatter", "scatter_add",
     "scatter_reduce", "select", "sgn", "short", "sigmoid", "sign", "signbit", "sin", "sinc",
     "sinh", "size", "slogdet", "softmax", "sort", "sparse_dim", "split", "split_with_sizes",
     "sqrt", "square", "squeeze", "std", "storage_offset", "stride", "sub", "subtract", "sum",
     "sum_to_size", "svd", "swapaxes", "swapdims", "t", "take", "take_along_dim", "tan", "tanh",
     "tensor_split", "tile", "to", "to_dense", "to_sparse", "to_sparse_coo", "to_sparse_csr",
     "tolist", "topk", "trace", "transpose", "tril", "triu", "true_divide", "trunc", "type",
     "type_as", "unbind", "unflatten", "unfold", "unique", "unique_consecutive", "unsqueeze",
     "values", "var", "vdot", "view", "view_as", "vsplit", "where", "xlogy", "xpu")
)  # fmt: skip
