"""CA101: ``drop_last=True`` on the loader whose last batch is short."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import libcst as cst

from ca_reports.fixes import dynamic, loops
from ca_reports.fixes.editing import keyword, positional, with_keyword
from ca_reports.fixes.patches import ChangedSinceError, Patch, RefusedError
from ca_reports.fixes.program import places

if TYPE_CHECKING:
    from ca_reports.findings import Finding
    from ca_reports.fixes.program import EditableProgram, SourceFile

_LOADERS = ("torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader")
# DataLoader(dataset, batch_size, shuffle, sampler, batch_sampler, num_workers, collate_fn,
# pin_memory, drop_last, …)
_BATCH_SAMPLER = 4
# Where a trainer makes the loader, and takes the option by another name.
_ARGUMENTS = (
    "transformers.TrainingArguments",
    "transformers.Seq2SeqTrainingArguments",
    "trl.SFTConfig",
    "trl.DPOConfig",
)
_LEFT_OUT = "leaves out the samples of the short last batch of each epoch"


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Drop the short batch, or else compile for every size. Raises `RefusedError`."""
    found: list[Patch] = []
    reason = ""
    try:
        found += _dropped(finding, program)
    except ChangedSinceError:
        raise
    except RefusedError as refused:
        reason = str(refused)
    with suppress(RefusedError):
        found += dynamic.patches(finding, program)
    if not found:
        raise RefusedError(reason)
    return found


def _dropped(finding: Finding, program: EditableProgram) -> list[Patch]:
    """The patch of the one call that makes the loader."""
    if not program.calls(*_LOADERS) and (made := program.calls(*_ARGUMENTS)):
        if len(made) > 1:
            raise RefusedError(f"several calls may have made the loader: {places(made)}")
        file, call = made[0]
        program.require_unchanged(file)
        return [
            Patch(
                what=f"dataloader_drop_last=True at {file.place(call)}",
                replacements=(with_keyword(file, call, "dataloader_drop_last", "True"),),
                intention=_LEFT_OUT,
            )
        ]
    file, call = _loader(finding, program)
    program.require_unchanged(file)
    where = file.place(call)
    if len(positional(call)) > _BATCH_SAMPLER or keyword(call, "batch_sampler"):
        raise RefusedError(
            f"the DataLoader at {where} may have a batch sampler, which decides instead"
        )
    size = keyword(call, "batch_size")
    if size is not None and file.code(size.value) == "None":
        raise RefusedError(f"the DataLoader at {where} makes no batches (batch_size=None)")
    given = keyword(call, "drop_last")
    if given is not None and file.code(given.value) != "False":
        raise RefusedError(f"the DataLoader at {where} has drop_last={file.code(given.value)}")
    maker = file.function(call)
    if isinstance(maker, cst.FunctionDef) and program.uses(maker.name.value) > 1:
        raise RefusedError(
            f"{maker.name.value} makes several loaders with the call at {where}: give "
            "drop_last=True to the one that trains"
        )
    return [
        Patch(
            what=f"drop_last=True on the DataLoader at {where}",
            replacements=(with_keyword(file, call, "drop_last", "True"),),
            intention=_LEFT_OUT,
        )
    ]


def _loader(finding: Finding, program: EditableProgram) -> tuple[SourceFile, cst.Call]:
    found = program.calls(*_LOADERS)
    if not found:
        raise RefusedError(
            "no DataLoader call is in the program's files: cut the batches elsewhere"
        )
    named = [one for one in found if loops.is_at(finding.location, *one, program)]
    looped = [one for one in found if one[1] in loops.iterated_calls(finding, program)]
    for chosen in (named, looped, found):
        if len(chosen) == 1:
            return chosen[0]
    raise RefusedError(f"several DataLoader calls may have made the loader: {places(found)}")
