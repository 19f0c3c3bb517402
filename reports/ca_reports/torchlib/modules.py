"""What modules of torch have and what is registered on them, by name.

Looked up in torch 2.13.0 (`tests/unit/reports/torchlib/test_modules.py`). Tables that calls
are searched for by are in an order.
"""

from __future__ import annotations

# What a call of a module runs.
CALLED = ("forward", "__call__")
# What a module gives of its tensors and modules, the same each time.
OF_PARAMETERS = ("parameters", "named_parameters")
OF_BUFFERS = ("buffers", "named_buffers")
OF_MODULES = ("modules", "named_modules", "children", "named_children")
OF_ITSELF = (*OF_PARAMETERS, *OF_BUFFERS, *OF_MODULES)
# What is asked of a module without calling it.
WITHOUT_A_CALL = frozenset(
    (*OF_PARAMETERS, *OF_BUFFERS, "state_dict", "train", "eval", "requires_grad_", "weight")
)
# Modules that hold others, or parameters.
CONTAINERS = ("ModuleList", "ModuleDict", "Sequential", "ParameterList", "ParameterDict")
# Modules that are one layer and hold no other.
LAYERS = frozenset(
    ("Linear", "Bilinear", "Embedding", "EmbeddingBag", "Conv1d", "Conv2d", "Conv3d", "LayerNorm",
     "RMSNorm", "GroupNorm", "BatchNorm1d", "BatchNorm2d", "Dropout", "Identity")
)  # fmt: skip
# Dictionaries, of Python and of torch.
MAPPINGS = ("dict", "defaultdict", "OrderedDict", "ModuleDict", "ParameterDict")

# Modules of torch that hold another one and do something around its call, by their files: the code
# of each is compiled for whatever they hold.
WRAPPERS = {
    "torch/distributed/algorithms/_checkpoint/checkpoint_wrapper.py": "CheckpointWrapper",
    "torch/distributed/fsdp/fully_sharded_data_parallel.py": "FullyShardedDataParallel",
    "torch/nn/parallel/distributed.py": "DistributedDataParallel",
    "torch/optim/swa_utils.py": "AveragedModel",
}

# The functions of `torch.nn.functional` that drop what they are given at random, with `p`.
DROPOUTS = ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout",
            "feature_alpha_dropout")  # fmt: skip

# What registers something that runs in a backward: on a tensor, on a module, for all modules; or
# has saved tensors packed.
FORWARD_HOOKS = ("register_forward_hook", "register_forward_pre_hook",
                 "register_module_forward_hook",
                 "register_module_forward_pre_hook")  # fmt: skip
# What registers a hook on one module, by what it is called for.
HOOKS_BY_KIND = {
    "forward": ("register_forward_hook",),
    "forward_pre": ("register_forward_pre_hook",),
    "backward": ("register_full_backward_hook", "register_backward_hook"),
    "backward_pre": ("register_full_backward_pre_hook",),
}
MODULES_BACKWARD_HOOKS = ("register_full_backward_hook", "register_full_backward_pre_hook")
HOOKS_OF_MODULES = (*FORWARD_HOOKS, *MODULES_BACKWARD_HOOKS)
BACKWARD_HOOKS = (
    "register_hook", *MODULES_BACKWARD_HOOKS, "register_backward_hook",
    "register_post_accumulate_grad_hook", "register_prehook", "register_multi_grad_hook",
    "retain_grad", "saved_tensors_hooks", "save_on_cpu", "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook", "checkpoint", "checkpoint_sequential",
)  # fmt: skip

# `torch.nn.utils` and its `parametrizations`: what makes a weight be computed, and what ends that.
PARAMETRIZES = ("weight_norm", "spectral_norm", "orthogonal", "register_parametrization")
UNPARAMETRIZES = ("remove_parametrizations", "remove_weight_norm", "remove_spectral_norm")
# `torch.nn.utils.prune`: its functions, those of them whose names others have too, its classes.
PRUNE = "prune"
PRUNES = (
    "random_unstructured", "l1_unstructured", "random_structured", "ln_structured",
    "global_unstructured", "custom_from_mask",
)  # fmt: skip
PRUNES_VAGUELY = ("identity", "remove")
PRUNING_METHODS = (
    "RandomUnstructured", "L1Unstructured", "RandomStructured", "LnStructured", "CustomFromMask",
)  # fmt: skip
PRUNING_METHOD = "BasePruningMethod"

# What gives a module a tensor that only a tensor, or None, takes the place of.
REGISTERING_TENSORS = frozenset(("register_buffer", "register_parameter"))
PARAMETERS = frozenset(("torch.nn.Parameter", "torch.nn.parameter.Parameter", "torch.nn.Buffer"))
