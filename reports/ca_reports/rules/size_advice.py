"""What to do about sizes of a forward's inputs, also where a trainer of a library's makes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.text.guarded import readable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ca_reports.facts.events import RecompileFacts
    from ca_reports.facts.input_sizes import InputSize

_TRANSFORMERS = "/transformers/trainer"


def drop_last(recompiles: Iterable[RecompileFacts]) -> str:
    """Say how to leave the short last batch out."""
    if is_transformers(recompiles):
        return "set dataloader_drop_last=True in the TrainingArguments"
    return "pass drop_last=True to the DataLoader"


def pad(size: InputSize) -> str:
    """Say how to give inputs one length, with the largest that was seen."""
    largest = f"{size.largest} was the largest recorded"
    if is_transformers(size.recompiles):
        return (
            "pad in the data collator to one length (padding='max_length'; pad_to_multiple_of "
            f"leaves a few; {largest})"
        )
    return f"pad to one length ({largest})"


def mark_dynamic(size: InputSize) -> str:
    """Say how to make the dimensions dynamic from the first call."""
    if not size.dimensions:
        return "compile with dynamic=True"
    # Modules of torch's own are called through a wrapper, whose arguments have no names.
    name = "x" if size.source.startswith("args[") else readable(size.source)
    which = size.dimensions[0] if len(size.dimensions) == 1 else size.dimensions
    return (
        f"call `torch._dynamo.mark_dynamic({name}, {which})` before the first forward, or "
        "compile with dynamic=True"
    )


def is_transformers(recompiles: Iterable[RecompileFacts]) -> bool:
    """Return whether a Trainer of Transformers calls the forward."""
    return any(
        _TRANSFORMERS in frame.file.replace("\\", "/")
        for found in recompiles
        for frame in found.compiled.stack
    )
