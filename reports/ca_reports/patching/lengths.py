"""CA102: sequences of different lengths, padded to a multiple where they are put together."""

from __future__ import annotations

import ast
from dataclasses import replace as replaced
from typing import TYPE_CHECKING, Any

from ca_engine.lazy_classes import dataclass
from ca_reports.facts.masking.fills import HasPartError
from ca_reports.patching import choices, dynamic, marking
from ca_reports.patching.masked import masked
from ca_reports.patching.patches import ChangedSinceError, Patch, RefusedError, Replacement
from ca_reports.patching.program import places
from ca_reports.program.edits import (
    add_keyword,
    append,
    arguments,
    insert_before,
    replace,
    words_in,
)
from ca_reports.program.syntax import Definition, is_starred, keyword, last_name
from ca_reports.run.model import Compile
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
_MODELS = "/transformers/models/"
_OPTION = "pad_to_multiple_of"
# What tells a length, in the maximum that batches are padded to.
_LENGTHS = ("len", ".shape[", ".size(")


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Return a compile for every size, and one length for most batches. Raises `RefusedError`."""
    if finding.subject.size_kind == "zero_or_one":
        return marking.unbacked(finding, program)
    padded, refused = _padded(finding, program)
    choice = finding.subject.choice
    try:
        others = dynamic.patches(finding, program)
        # By the times of the run, which of both is the better one.
        return [*padded, *others] if choice is not None and choice.pads else [*others, *padded]
    except ChangedSinceError:
        raise
    except RefusedError as error:
        if not padded:
            raise RefusedError(f"{error}; {refused}" if refused else str(error)) from None
        return padded


def _padded(finding: Finding, program: EditableProgram) -> tuple[list[Patch], str]:
    """Pad to a power of two that no length seen is beyond, and to its multiples.

    Or to the sizes that the run's times chose. Nothing, and why, unless the source shows one place
    where batches are padded, and the source and the recorded graphs show that what is added has no
    effect.
    """
    lengths = finding.subject.values
    if not lengths or max(lengths) < 2 or 0 in finding.subject.dimensions:
        return [], ""
    target = target_of(finding.subject.choice, max(lengths))
    sites = padding_sites(program)
    if sites is None:
        return [], ""
    if sites.options:
        # A multiple is all that the option takes.
        target = replaced(target, buckets=())
    try:
        changes = longer(program, sites, target)
        draws = _draws(finding, program, sites, target.longest(max(lengths)))
    except HasPartError as error:
        reason, *place = error.args
        where = f" at {place[0]}" if place else ""
        return [], f"padding at {places(sites.every)} may have an effect{where}: {reason}"
    except RefusedError:
        return [], ""
    patch = Patch(
        f"padded to {target.told} at {places(sites.every)}",
        tuple(dict.fromkeys(changes)),
        intention="draws other random numbers in dropout" if draws else "",
        note="computes more: what is added is masked",
    )
    return [patch], ""


@dataclass(frozen=True, slots=True)
class PaddingSites:
    """Places that pad batches: in one function, ``made``, and calls of libraries, ``options``."""

    made: tuple[tuple[SourceFile, ast.Call], ...]
    options: tuple[tuple[SourceFile, ast.Call], ...]

    @property
    def every(self) -> tuple[tuple[SourceFile, ast.Call], ...]:
        """Return both."""
        return (*self.made, *self.options)


def padding_sites(program: EditableProgram) -> PaddingSites | None:
    """Return where batches are padded; None unless all of it is in one function.

    Several may be in it: the tokens of a batch, and their labels.
    """
    made = [
        *((file, call) for file, call in program.calls(_PAD) if _is_batch_first(file, call)),
        *_maxima(program),
    ]
    found = PaddingSites(tuple(made), tuple(_collators(program)))
    functions = {file.function(node) for file, node in found.every}
    return found if len(functions) == 1 else None


def longer(program: EditableProgram, sites: PaddingSites, target: Target) -> list[Replacement]:
    """Return the changes that pad to ``target``. Raises `RefusedError`."""
    changes: list[Replacement] = []
    for file, call in sites.every:
        program.require_unchanged(file)
        changes += _at(file, call, target)
    return changes


def _draws(finding: Finding, program: EditableProgram, sites: PaddingSites, longest: int) -> bool:
    """Return whether padding draws other random numbers, which is all the effect that it has.

    Raises `HasPartError` where it may have another one.
    """
    if sites.made and not sites.options:
        return masked(finding, program, sites.made, longest).draws
    if sites.made or not _is_model_of_transformers(finding):
        raise HasPartError("what takes the batch is no model of Transformers, and no mask is seen")
    # Its collators and tokenizers give an attention mask, and labels that its losses ignore.
    return True


def _is_model_of_transformers(finding: Finding) -> bool:
    """Return whether the compiled code is a model's of Transformers."""
    codes = [one.code for one in finding.events if isinstance(one, Compile)]
    return bool(codes) and all(
        code is not None and _MODELS in code.file.replace("\\", "/") for code in codes
    )


@dataclass(frozen=True, slots=True)
class Target:
    """The lengths to pad to: the next of ``buckets``, else the next multiple of ``multiple``."""

    multiple: int
    buckets: tuple[int, ...] = ()

    @property
    def told(self) -> str:
        """Return it in words."""
        if self.buckets:
            return f"the next of {listed(map(str, self.buckets))}"
        return f"a multiple of {self.multiple}"

    def longest(self, length: int) -> int:
        """Return the largest size that a batch is padded to, none of which was above ``length``."""
        multiple = -(-length // self.multiple) * self.multiple
        return max((length, *self.buckets)) if self.buckets else multiple

    def length(self, code: str) -> str:
        """Return an expression of the length that ``code`` is padded to.

        What is longer than all that a run saw stays as long as it is.
        """
        if not self.buckets:
            return f"-(-{code} // {self.multiple}) * {self.multiple}"
        return f"min((size for size in {self.buckets} if size >= {code}), default={code})"


def target_of(choice: SizeChoice | None, longest: int) -> Target:
    """Return what pays by the run's times, else a power of two that no length is beyond."""
    if choice is not None and choice.multiple is not None:
        return Target(choice.multiple)
    if choice is not None and choice.pads:
        return Target(_multiple(max(longest, *choice.sizes)), choice.sizes)
    return Target(_multiple(longest))


def _multiple(longest: int) -> int:
    return 1 << (longest - 1).bit_length()


def _at(file: SourceFile, call: ast.Call, target: Target) -> list[Replacement]:
    name = last_name(call.func)
    if name == "pad_sequence":
        return _of_sequences(file, call, target)
    if name == "max":
        return [Replacement(file.name, *file.span(call), target.length(file.code(call)))]
    return [*add_keyword(file, call, _OPTION, str(target.multiple))]


def _of_sequences(file: SourceFile, call: ast.Call, target: Target) -> list[Replacement]:
    """Give ``pad_sequence`` one more sequence, as long as all are to be, and leave it out."""
    statement = file.statement(call)
    first = next(iter(arguments(call)), None)
    if not file.is_line(statement) or first is None or first.star:
        raise RefusedError(f"the call at {file.place(call)} is part of a larger statement")
    if first.keyword not in ("", "sequences"):
        raise RefusedError(f"can't find the sequences of the call at {file.place(call)}")
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


def _is_tokenizers(call: ast.Call) -> bool:
    return any("tokeniz" in name for name in words_in(call.func))


def _collators(program: EditableProgram) -> list[tuple[SourceFile, ast.Call]]:
    """Return the collators of Transformers, and calls of tokenizers that pad to the longest."""
    found = [
        (file, call)
        for file, call in program.calls(*_COLLATORS)
        if keyword(call, _OPTION) is None and not is_starred(call)
    ]
    for file, call, given in program.calls_with("padding"):
        is_longest = file.code(given) in ("True", '"longest"')
        if is_longest and keyword(call, _OPTION) is None and _is_tokenizers(call):
            found.append((file, call))
    return found
