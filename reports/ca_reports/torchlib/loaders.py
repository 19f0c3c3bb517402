"""What makes batches of a data set, and what each is told.

`torch.utils.data` of torch 2.13.0, `torchdata.stateful_dataloader`, Transformers 4.57 and TRL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# What gives batches of samples. A stateful one is torchdata's, with the same arguments.
LOADERS = ("DataLoader", "StatefulDataLoader")
# And what gives batches of their indices: it is told how many, and whether to drop a short one.
BATCHING = (*LOADERS, "BatchSampler")
# The names that torch's loader is imported by.
QUALIFIED = ("torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader")
# The parameters of a loader, in their order; those after the last one are by keyword only.
PARAMETERS = (
    "dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers", "collate_fn",
    "pin_memory", "drop_last",
)  # fmt: skip
# Those of them by which a dictionary with a `batch_size` is known to be a loader's options.
BESIDE_SIZE = ("dataset", "sampler", "collate_fn", "num_workers")
# Arguments that tell an iterable of a library how much to give at a time: pandas, datasets.
AT_A_TIME = ("batch_size", "chunksize", "chunk_size")
# What makes its loader itself, of Transformers and TRL, and what the user passes the options to.
TRAINERS = ("Trainer", "Seq2SeqTrainer", "SFTTrainer", "DPOTrainer", "RewardTrainer")
TRAINERS_ARGUMENTS = "TrainingArguments"
_TRANSFORMERS = "/transformers/trainer"
# Libraries whose loops call a model, by a part of such a loop's path; the more special first.
LIBRARIES = {
    "/trl/trainer/": "TRL",
    _TRANSFORMERS: "Transformers",
    "/lightning/pytorch/": "Lightning",
    "/pytorch_lightning/": "Lightning",
    "/accelerate/": "Accelerate",
}


def library_of(files: Iterable[str]) -> str | None:
    """Return the library whose loop is among the files of a stack; None if there is none."""
    paths = [file.replace("\\", "/") for file in files]
    return next(
        (name for part, name in LIBRARIES.items() if any(part in path for path in paths)), None
    )


def is_transformers(files: Iterable[str]) -> bool:
    """Return whether a Trainer of Transformers is among the files of a stack, its own or TRL's."""
    return any(_TRANSFORMERS in file.replace("\\", "/") for file in files)
