"""Captures the state around a backward, with C++ guards on it and on the inputs."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch._C._dynamo.guards import GlobalStateGuard, RootGuardManager
from torch._dynamo.guards import GuardManagerType
from torch._functorch import config as functorch_config


def is_plain_world() -> bool:
    """Return whether no mode, transform or autocast stands around the backward that starts now."""
    return (
        not torch.is_grad_enabled()
        and not torch.is_inference_mode_enabled()
        and not torch._C._is_any_autocast_enabled()
        and not modes_are_around()
    )


def modes_are_around() -> bool:
    """Return whether a function mode, a dispatch mode or a functorch transform is active."""
    return bool(
        torch._C._len_torch_dispatch_stack()
        or torch._C._len_torch_function_stack()
        or torch._C._functorch.peek_interpreter_stack() is not None
    )


def functional_option() -> str | None:
    """Return a setting under which AOTAutograd does more than trace, None if all are as usual."""
    for name in (
        "functionalize_rng_ops",
        "enable_complex_wrapper",
        "selective_decompose",
        "force_autograd_cache",
        "bundled_autograd_cache",
        "fake_tensor_propagate_real_tensors",
    ):
        if getattr(functorch_config, name, False):
            return name
    return None


_MARKS = (
    "_dynamo_dynamic_indices",
    "_dynamo_weak_dynamic_indices",
    "_dynamo_unbacked_indices",
    "_dynamo_strict_unbacked_indices",
    "_dynamo_static_indices",
    "_dynamo_shape_ids",
)


def is_marked(tensor: torch.Tensor) -> bool:
    """Return whether the user asked for a dynamic or static dimension of ``tensor``."""
    return any(hasattr(tensor, mark) for mark in _MARKS)


def storage_id(tensor: torch.Tensor) -> int:
    identity: int = torch._C._storage_id(tensor)  # type: ignore[attr-defined]
    return identity


def version(tensor: torch.Tensor) -> int:
    """Count the writes to ``tensor``."""
    return int(tensor._version)


def memory_form(tensors: Sequence[torch.Tensor]) -> list[tuple[int, ...]]:
    """Find the ``tensors`` that share memory, and where each begins in it.

    A list with an item for each: the first one with its memory, the first one that is the same
    tensor, its offset, the size of its memory, whether it is a view. Empty if no memory is shared.
    """
    storages = [storage_id(tensor) for tensor in tensors]
    if len(set(storages)) == len(storages):
        return []
    return [
        (
            storages.index(storage),
            next(index for index, other in enumerate(tensors) if other is tensor),
            int(tensor.storage_offset()),
            tensor.untyped_storage().nbytes(),
            int(tensor._is_view()),
        )
        for tensor, storage in zip(tensors, storages, strict=True)
    ]


def overlaps_itself(tensor: torch.Tensor) -> bool:
    """Return whether two elements may share memory."""
    return torch._debug_has_internal_overlap(tensor) != 0


def is_expanded(tensor: torch.Tensor) -> bool:
    """Return whether elements share memory for certain, so that no operator writes to it."""
    return torch._debug_has_internal_overlap(tensor) == 1


def is_batched(tensor: torch.Tensor) -> bool:
    """Return whether ``tensor`` stands for one of a batch, as under ``is_grads_batched``."""
    return torch._C._functorch.is_legacy_batchedtensor(
        tensor
    ) or torch._C._functorch.is_batchedtensor(tensor)


def guards_of(inputs: list[torch.Tensor]) -> RootGuardManager:
    """C++ guards on a list of tensors like ``inputs``, under global state as it is now."""
    root = RootGuardManager()
    kind = GuardManagerType.GUARD_MANAGER
    root.add_length_check_guard(len(inputs), [f"len(inputs) == {len(inputs)}"], None)
    root.add_global_state_guard(GlobalStateGuard(), ["global state"], None)
    for index, tensor in enumerate(inputs):
        name = f"inputs[{index}]"
        root.list_getitem_manager(index, name, tensor, kind).add_tensor_match_guard(
            tensor,
            list(tensor.shape),
            list(tensor.stride()),
            name,
            [f"{name}: {tuple(tensor.shape)}, strides {tensor.stride()}, {tensor.dtype}"],
            None,
            type(tensor),
            torch._C._dispatch_keys(tensor),
        )
    return root


def failed_guard(guards: RootGuardManager, inputs: list[torch.Tensor]) -> str | None:
    """Return the first guard that does not hold for ``inputs``, in words."""
    info = guards.check_verbose(inputs)
    return None if info.result else "; ".join(map(str, info.verbose_code_parts))
