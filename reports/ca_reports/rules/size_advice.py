"""What to do about sizes of a forward's inputs, also where a trainer of a library's makes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.text.dynamic import marking

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ca_reports.dynamic_shapes import DynamicDimension
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


def mark_dynamic(size: InputSize, dimensions: Iterable[DynamicDimension]) -> str:
    """Say how to make a size dynamic from the first call; ``dimensions`` are all that varied.

    Those of other arguments that always have the same size must be marked with it.
    """
    if not size.dimensions:
        return "compile with dynamic=True"
    to_mark = dict.fromkeys((size.source, index) for index in size.dimensions)
    for found in dimensions:
        if (found.source, found.index) in to_mark:
            to_mark.update(dict.fromkeys(found.together))
    return f"call {marking(list(to_mark))} before the first forward, or compile with dynamic=True"


def is_transformers(recompiles: Iterable[RecompileFacts]) -> bool:
    """Return whether a Trainer of Transformers calls the forward."""
    return any(
        _TRANSFORMERS in frame.file.replace("\\", "/")
        for found in recompiles
        for frame in found.compiled.stack
    )
