"""Reads the registries of `nn.Module`."""

from __future__ import annotations

import torch
from torch.nn.modules.dropout import _DropoutNd

# Attributes of a module that hold a dict of what was registered.
PARAMETERS = "_parameters"
CHILDREN = "_modules"
BUFFERS = "_buffers"
TABLES = (PARAMETERS, CHILDREN, BUFFERS)

# The name under which `torch.compile` holds the module that it wraps.
COMPILED = "_orig_mod"
# Names that wrappers of torch's hold the wrapped module under: in no name of the user's.
WRAPPED = (COMPILED, "_checkpoint_wrapped_module", "_fsdp_wrapped_module")


def is_dropout(module: torch.nn.Module) -> bool:
    """Return whether ``module`` is one of torch's dropouts, with a ``p``; runs no user code."""
    return issubclass(type(module), _DropoutNd)
