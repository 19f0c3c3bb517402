"""CA102: sequences of different lengths, padded to a multiple where they are put together."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from dataclasses import replace as replaced
from typing import TYPE_CHECKING, Any

from ca_reports.patching import choices, dynamic, marking
from ca_reports.patching.patches import ChangedSinceError, Patch, RefusedError, Replacement
from ca_reports.patching.program import places
from ca_reports.program.edits import add_keyword, append, arguments, insert_before, replace
from ca_reports.program.syntax import Definition, is_starred, keyword, last_name
from ca_reports.words.values import listed

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding, SizeChoice
    from ca_reports.patching.program import EditableProgram, SourceFile

_PAD = "torch.nn.utils.rnn.pad_sequence"
_COLLATORS = tuple(
    f"transformers.{name}"
    for name in (
        "DataCollatorForLanguageModeling",
        "DataCollatorForSeq2Seq",
        "DataCollatorForTokenClassification",
        "DataCollatorWithPadding",
    )
)
_OPTION = "pad_to_multiple_of"
# Where the source computes the length that is padded to, so that it may be any.
_FREE = {"max", "pad_sequence"}
# What tells a length, in the maximum that batches are padded to.
_LENGTHS = ("len", ".shape[", ".size(")


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Return a compile for every size, and one length for most batches. Raises `RefusedError`."""
    if finding.subject.size_kind == "zero_or_one":
        return marking.unbacked(finding, program)
    padded = _padded(finding, program)
    choice = finding.subject.choice
    try:
        others = dynamic.patches(finding, program)
        # By the times of the run, which of both is the better one.
        return [*padded, *others] if choice is not None and choice.pads else [*others, *padded]
    except ChangedSinceError:
        raise
    except RefusedError:
        if not padded:
            raise
        return padded


def _padded(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Pad to a power of two that no length seen is beyond, and to its multiples.

    Or to the sizes that the run's times chose. Nothing unless the source shows one place where
    batches are padded.
    """
    lengths = finding.subject.values
    if not lengths or max(lengths) < 2:
        return []
    target = _target(finding.subject.choice, max(lengths))
    sites = [
        *((file, call) for file, call in program.calls(_PAD) if _is_batch_first(file, call)),
        *_maxima(program),
        *_collators(program),
    ]
    functions = {file.function(node) for file, node in sites}
    # Several in one function: the tokens of a batch, and their labels.
    if len(functions) != 1 or 0 in finding.subject.dimensions:
        return []
    if not {last_name(call.func) for _, call in sites} <= _FREE:
        # An option for a multiple is all that there is.
        target = replaced(target, buckets=())
    changes: list[Replacement] = []
    try:
        for file, call in sites:
            program.require_unchanged(file)
            changes += _at(file, call, target)
    except RefusedError:
        return []
    return [
        Patch(
            f"padded to {target.told} at {places(sites)}",
            tuple(dict.fromkeys(changes)),
            intention=f"pads to {target.told}: what does not mask the padding computes something "
            "else",
        )
    ]


@dataclass(frozen=True, slots=True)
class _Target:
    """The lengths to pad to: the next of ``buckets``, else the next multiple of ``multiple``."""

    multiple: int
    buckets: tuple[int, ...] = ()

    @property
    def told(self) -> str:
        """Return it in words."""
        if self.buckets:
            return f"the next of {listed(map(str, self.buckets))}"
        return f"a multiple of {self.multiple}"

    def length(self, code: str) -> str:
        """Return an expression of the length that ``code`` is padded to.

        What is longer than all that a run saw stays as long as it is.
        """
        if not self.buckets:
            return f"-(-{code} // {self.multiple}) * {self.multiple}"
        return f"min((size for size in {self.buckets} if size >= {code}), default={code})"


def _target(choice: SizeChoice | None, longest: int) -> _Target:
    if choice is not None and choice.multiple is not None:
        return _Target(choice.multiple)
    if choice is not None and choice.pads:
        return _Target(_multiple(max(longest, *choice.sizes)), choice.sizes)
    return _Target(_multiple(longest))


def _multiple(longest: int) -> int:
    return 1 << (longest - 1).bit_length()


def _at(file: SourceFile, call: ast.Call, target: _Target) -> list[Replacement]:
    name = last_name(call.func)
    if name == "pad_sequence":
        return _of_sequences(file, call, target)
    if name == "max":
        return [Replacement(file.name, *file.span(call), target.length(file.code(call)))]
    return [*add_keyword(file, call, _OPTION, str(target.multiple))]


def _of_sequences(file: SourceFile, call: ast.Call, target: _Target) -> list[Replacement]:
    """Give ``pad_sequence`` one more sequence, as long as all are to be, and leave it out."""
    statement = file.statement(call)
    first = next(iter(arguments(call)), None)
    if not file.is_line(statement) or first is None or first.star:
        raise RefusedError(f"the call at {file.place(call)} is part of a larger statement")
    if first.keyword not in ("", "sequences"):
        raise RefusedError(f"the call at {file.place(call)} does not show its sequences")
    parts = choices.new_name(file, "parts", "sequences", "several")
    longest = choices.new_name(file, "longest", "padded_length")
    filler = choices.new_name(file, "filler", "longest_part")
    most = f"max(map(len, {parts}))"
    # The next bucket is looked for by a name, as the expression has the length twice.
    lengths = [most, target.length(longest)] if target.buckets else [target.length(most)]
    lines = [
        f"{parts} = list({file.code(first.value)})",
        *(f"{longest} = {length}" for length in lengths),
        f"{filler} = {parts}[0].new_zeros({longest}, *{parts}[0].shape[1:])",
    ]
    return [
        *insert_before(file, statement, lines, below_comments=True),
        *replace(file, first.value, f"[*{parts}, {filler}]"),
        *append(file, call, "[:-1]"),
    ]


def _is_batch_first(file: SourceFile, call: ast.Call) -> bool:
    given = keyword(call, "batch_first")
    return given is not None and file.code(given) == "True"


def _maxima(program: EditableProgram) -> list[tuple[SourceFile, ast.Call]]:
    """Return ``width = max(len(x) for x in batch)``, in a function that puts batches together."""
    found = []
    for file, call in program.calls("builtins.max"):
        assigned: Any = file.parent(call)
        is_length = len(arguments(call)) == 1 and any(word in file.code(call) for word in _LENGTHS)
        if isinstance(assigned, ast.Assign) and is_length and _collates(file, call, program):
            found.append((file, call))
    return found


def _collates(file: SourceFile, node: ast.AST, program: EditableProgram) -> bool:
    """Return whether ``node`` is in a function that a loader is given, or that is named so."""
    function = file.function(node)
    if not isinstance(function, Definition):
        return False
    owner = file.owner(function)
    names = {function.name, *([owner.name] if owner is not None else [])}
    if any("collat" in name.lower() for name in names):
        return True
    return any(
        last_name(given.func if isinstance(given, ast.Call) else given) in names
        for _, _, given in program.calls_with("collate_fn")
    )


def _collators(program: EditableProgram) -> list[tuple[SourceFile, ast.Call]]:
    """Return the collators of Transformers, and calls of tokenizers that pad to the longest."""
    found = [
        (file, call)
        for file, call in program.calls(*_COLLATORS)
        if keyword(call, _OPTION) is None and not is_starred(call)
    ]
    for file, call, given in program.calls_with("padding"):
        is_longest = file.code(given) in ("True", '"longest"')
        if is_longest and keyword(call, _OPTION) is None and "tokeniz" in file.code(call.func):
            found.append((file, call))
    return found
