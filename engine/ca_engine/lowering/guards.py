"""Checks the assumptions of a lowered graph at every run.

C++ looks a backward up by a key, which leaves out the strides of what was saved and of
``.grad``, whether two of them share memory, and global state. Dynamo guards on most of that, by
a guard manager of torch's in C++; so do we, by the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ca_engine.compat import ambient
from ca_engine.lowering.refusal import RefusalError


class Guards:
    """For a graph that was compiled for ``inputs`` and writes to those at ``changed``.

    Raises `RefusalError` if something that is written shares memory with another input.
    """

    def __init__(self, inputs: list[torch.Tensor], changed: Sequence[int]) -> None:
        self._changed = changed
        self._manager = ambient.guards_of(inputs)
        if not self._are_apart(inputs):
            raise RefusalError("grad_form", ".grad shares memory with another input")

    def hold(self, inputs: list[torch.Tensor]) -> bool:
        return (
            not ambient.modes_are_around()
            and self._manager.check(inputs)
            and self._are_apart(inputs)
        )

    def differ_in_memory(self, inputs: list[torch.Tensor]) -> bool:
        """Return whether all holds but that what is written has memory of its own."""
        return not ambient.modes_are_around() and self._manager.check(inputs)

    def failed(self, inputs: list[torch.Tensor]) -> str:
        """Describe what does not hold."""
        if ambient.modes_are_around():
            return "a torch mode is active"
        return ambient.failed_guard(self._manager, inputs) or ".grad shares memory"

    def _are_apart(self, inputs: Sequence[torch.Tensor]) -> bool:
        """Return whether all that is written has memory of its own."""
        if not self._changed:
            return True
        storages = [ambient.storage_id(tensor) for tensor in inputs]
        written = {storages[index] for index in self._changed}
        if len(written) < len(self._changed):
            return False
        shared = sum(storage in written for storage in storages)
        return shared == len(written)
