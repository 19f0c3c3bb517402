"""Patches: texts that replace spans of files, and what they are for."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.program.edits import RefusedError as RefusedError
from ca_reports.program.edits import Replacement as Replacement
from ca_reports.program.edits import applied_to
from ca_reports.words.magics import as_typed
from ca_reports.words.places import is_cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.causes.remedies import Edit

_NO_NEWLINE = "\n\\ No newline at end of file\n"


class ChangedSinceError(RefusedError):
    """The source is not what ran: nothing can be said of the finding any more."""


class UnmeasuredError(RefusedError):
    """A patch wins by leaving calls uncompiled: it is offered once a run has counted them."""


@dataclass(frozen=True, slots=True)
class Patch:
    """One remedy, as a change of the source.

    ``what`` is the change in a few words. ``intention`` says what else it changes on purpose
    (samples that are left out); empty if the program computes the same. ``note`` is what to
    know before taking it. ``runs_eager``: it wins by leaving calls uncompiled, so it is offered
    only where a run has counted that they are few. ``upon`` is a patch of another finding's that
    changes the same lines: this one is applied with it, and of the files that it changes it
    replaces what both do. ``keeps_requires_grad`` says that tensors have ``requires_grad`` in more
    steps than before by design, and are trained no more. ``marks`` are tensors, each with its file,
    on which it sets what a copy does not have. ``any_value``: what is compiled takes sizes and
    numbers for symbols from the first call on. ``edit`` is the one of the finding's remedy that
    made it.
    """

    what: str
    replacements: tuple[Replacement, ...]
    intention: str = ""
    note: str = ""
    runs_eager: bool = False
    upon: Patch | None = None
    keeps_requires_grad: bool = False
    marks: tuple[tuple[str, str], ...] = ()
    any_value: bool = False
    edit: Edit | None = None

    @property
    def files(self) -> tuple[str, ...]:
        """Return the files it changes."""
        return tuple(dict.fromkeys(found.file for found in standing([self])))


@dataclass(frozen=True, slots=True)
class Proposal:
    """Change of the source for a finding.

    ``patches`` are alternatives, of which one is enough; without any ``refusal`` says why.
    ``beside`` is the finding whose patch they need: alone they save nothing, or do harm.
    """

    finding: Finding
    patches: tuple[Patch, ...] = ()
    refusal: str = ""
    beside: Finding | None = None


def standing(patches: Iterable[Patch]) -> list[Replacement]:
    """Return all replacements of ``patches``, in order, but for those that others hold already."""
    found: set[Replacement] = set()
    held: set[Replacement] = set()
    for patch in patches:
        found.update(patch.replacements)
        if patch.upon is not None:
            below = standing([patch.upon])
            found.update(below)
            own_files = {one.file for one in patch.replacements}
            held.update(one for one in below if one.file in own_files)
    return sorted(found - held)


def applied(texts: dict[str, str], patches: Iterable[Patch]) -> dict[str, str]:
    """Return ``texts`` (file → text) with all ``patches`` applied; only the files that they change.

    Raises `RefusedError` if two of them change the same characters.
    """
    found = standing(patches)
    changed: dict[str, str] = {}
    for file in dict.fromkeys(one.file for one in found):
        own = [one for one in found if one.file == file]
        changed[file] = applied_to(texts[file], own, file)
    return changed


def unified_diff(before: dict[str, str], after: dict[str, str]) -> str:
    """Return the change from ``before`` to ``after`` as `git apply` and `patch` read it."""
    parts: list[str] = []
    for file, text in after.items():
        old, new = _lines(before[file]), _lines(text)
        if is_cell(file):  # which nobody applies but who typed it
            old, new = list(map(as_typed, old)), list(map(as_typed, new))
        lines = difflib.unified_diff(old, new, f"a/{file}", f"b/{file}", n=3)
        parts += [line if line.endswith("\n") else line + _NO_NEWLINE for line in lines]
    return "".join(parts)


def successive(
    texts: dict[str, str], patches: Sequence[Patch]
) -> list[tuple[dict[str, str], dict[str, str]]]:
    """For each patch the changed files before and after it, the earlier patches applied."""
    steps: list[tuple[dict[str, str], dict[str, str]]] = []
    current = dict(texts)
    for number in range(len(patches)):
        after = applied(texts, patches[: number + 1])
        own = {file: after[file] for file in patches[number].files}
        steps.append(({file: current[file] for file in own}, own))
        current |= after
    return steps


def changed_lines(file: str, before: str, after: str) -> Iterator[Replacement]:
    """Yield the lines of ``file`` that differ, as replacements of whole lines."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    for begin, end, new_begin, new_end in differing(old, new):
        yield Replacement(file, starts[begin], starts[end], "".join(new[new_begin:new_end]))


def differing(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield begin and end of the lines that differ, in ``old`` and in ``new``, from 0."""
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, *places in matcher.get_opcodes():
        if tag != "equal":
            begin, end, new_begin, new_end = places
            yield begin, end, new_begin, new_end


def _lines(text: str) -> list[str]:
    # `str.splitlines` would also split at form feeds and other characters within a line.
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
