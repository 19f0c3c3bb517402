"""Arguments of compiled functions, by the names that the user's call gives them.

`torch.compile` of one of torch's own modules (`nn.Sequential`) compiles a wrapper around its call:
guards and graphs name `args[0]`, and the module `fn`; the line is that of the user's call (torch
2.13). A library's forward may be wrapped as well, and take `kwargs['ids']`. Of other functions
guards name the parameters. Sentences hold references to such names until a finding is located.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Protocol

from ca_engine.lazy_classes import dataclass
from ca_reports.facts.guard_paths import guard_path, verbatim
from ca_reports.program.stack import is_installed, own_frame
from ca_reports.program.syntax import Definition, Program, is_starred, last_name, targets_of
from ca_reports.words.references import parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ca_reports.program.files import SourceFiles
    from ca_reports.program.stack import Frame
    from ca_reports.program.syntax import Site
    from ca_reports.words.references import Reference

_ORDINALS = ("first", "second", "third", "fourth")
_CELL = "a variable of the hook's closure"
_OPENING = ("(", "[")


class HasArguments(Protocol):
    """The arguments that a function was given, by the names that guards have for them."""

    @property
    def arguments(self) -> Sequence[tuple[str, object]]: ...


class Compiled(Protocol):
    """A compile of a function: its ``code``, the line it was compiled at, and who called it.

    ``held`` is what it was given, where that is recorded; ``is_wrapped``: Dynamo compiled a wrapper
    of its own around what the line calls.
    """

    @property
    def code(self) -> Frame | None: ...
    @property
    def location(self) -> Frame | None: ...
    @property
    def stack(self) -> tuple[Frame, ...]: ...
    @property
    def held(self) -> HasArguments | None: ...
    @property
    def is_wrapped(self) -> bool: ...


def gives_object(call: ast.Call, compiled: Compiled) -> bool:
    """Return whether the first argument that arrived is what stands before the dot of ``call``.

    What wraps a method has its object as `args[0]`: one more than the call gives.
    """
    recorded = () if compiled.held is None else compiled.held.arguments
    places = [at for name, _ in recorded if (at := _place(name)) is not None]
    is_attribute = isinstance(call.func, ast.Attribute) and not is_starred(call)
    return is_attribute and bool(places) and len(call.args) == max(places)


class CallNames:
    """The names of the user's calls for arguments that only their place is known of."""

    def __init__(self, files: SourceFiles) -> None:
        """Read nothing yet."""
        self._files = files
        self._programs: dict[str, Program] = {}

    def of(self, called_at: Frame | None, sources: Iterable[str]) -> dict[str, str]:
        """Return those of the call at a line, by the names that guards have for the arguments."""
        unnamed = [source for source in sources if _place(source) is not None]
        if called_at is None or not unnamed:
            return {}
        if called_at.file not in self._programs:
            self._programs[called_at.file] = Program(self._files, [called_at.file])
        names = given(called_at, frozenset(), self._programs[called_at.file])
        called = ArgumentNames(names)
        return {source: called.said(verbatim(source)) for source in unnamed}


@dataclass(frozen=True, slots=True)
class ArgumentNames:
    """Names, in the user's call, of the arguments that guards know by their place or key only.

    ``by_place`` are the variables that the call gives, by the arguments' numbers, ``by_key`` those
    that it gives a library by name, and ``mapping`` what it gives as ``**``. ``is_call``: the line
    is known, and is a call; ``is_bound``: of a method, whose object has the first number.
    ``is_wrapped``: torch's wrapper has what it calls as `fn`, which is ``wrapped`` in the program,
    or empty where `torch.compile` was given no variable. ``parameters`` are what the call gives for
    those of the function, by their names, and ``cells`` the variables that a hook keeps in its
    closure, by their numbers.
    """

    by_place: Mapping[str, str] = field(default_factory=dict)
    by_key: Mapping[str, str] = field(default_factory=dict)
    mapping: str = "kwargs"
    is_call: bool = False
    is_bound: bool = False
    is_wrapped: bool = False
    wrapped: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    cells: Mapping[int, str] = field(default_factory=dict)

    def said(self, text: str, *, is_code: bool = False) -> str:
        """Return a sentence, its code in back quotes, with names in place of its references.

        What has no name in the call, or is one of several calls on the line, has no name of torch's
        either: ``args[0]`` is "the first argument", and within code "…". ``is_code``: all of
        ``text`` is code.
        """
        said, found = parts(text)
        is_code ^= _has_odd_quotes(said)
        for reference, words in found:
            head, quote, tail = words.partition("`")
            is_alone = bool(quote) and said.endswith("`") and " " not in head
            if is_code and is_alone and (told := self._in_words(reference, head)):
                said, words, is_code = f"{said[:-1]}{told}", tail, False
            elif is_code or _is_part_of_code(said, words):
                said += self._in_code(reference)
            else:
                said += self._in_words(reference).replace("`", "") or self._in_code(reference)
            said += words
            is_code ^= _has_odd_quotes(words)
        return said

    def _in_words(self, reference: Reference, read: str = "") -> str:
        """Say "`ids` of the second argument"; empty of what the program has a name for.

        ``read`` is what the sentence reads of it besides.
        """
        part = self.said(reference.rest, is_code=True).removeprefix(".") + read
        whose = self._whose(reference)
        return f"`{part}` of {whose}" if part and whose else whose

    def _whose(self, reference: Reference) -> str:
        path = guard_path(reference.name)
        if path.place is not None and self.is_call and str(path.place) not in self.by_place:
            number = path.place - self.is_bound
            if number < 0:
                return "the method's object"
            which = _ORDINALS[number] if number < len(_ORDINALS) else f"{number + 1}th"
            return f"the {which} argument"
        if path.cell is not None and path.cell not in self.cells:
            return _CELL
        is_nameless = path.is_wrapped and self.is_wrapped and not self.wrapped
        return "the compiled module" if is_nameless else ""

    def _in_code(self, reference: Reference) -> str:
        return self._name(reference.name) + self.said(reference.rest, is_code=True)

    def _name(self, name: str) -> str:
        path = guard_path(name)
        if path.place is not None:
            return self.by_place.get(str(path.place), "…" if self.is_call else name)
        if path.keyword:
            return self.by_key.get(path.keyword, f"{self.mapping}['{path.keyword}']")
        if path.cell is not None:
            return self.cells.get(path.cell, _CELL)
        if path.is_wrapped:
            return self.wrapped or name
        return self.parameters.get(name, name)


def _has_odd_quotes(words: str) -> bool:
    return words.count("`") % 2 == 1


def _is_part_of_code(said: str, words: str) -> bool:
    """Return whether code stands around a name between ``said`` and ``words``, without quotes."""
    is_read = words[:1] in (".", "[") and words[1:2] not in ("", " ")
    return said.endswith(_OPENING) or is_read


def _place(source: str) -> int | None:
    """Return the number of the argument of which ``source`` is a part; None if that has a name."""
    unnamed = guard_path(source).unnamed
    return None if unnamed is None else unnamed.place


def names_of(compiled: Compiled, program: Program) -> ArgumentNames:
    """Return the names that the call gives which ``compiled`` was compiled for."""
    calls = _calls_at(compiled.location, program)
    is_bound = bool(calls) and all(gives_object(call, compiled) for call in calls or ())
    by_place = given(compiled.location, frozenset(), program)
    if is_bound:
        by_place = {str(int(at) + 1): name for at, name in by_place.items() if at.isdecimal()}
    keys, mapping = _given_by_key(compiled, program)
    own = [one.arg for call in calls or () for one in call.keywords if one.arg]
    return ArgumentNames(
        by_place,
        {**dict(zip(own, own, strict=True)), **keys},
        mapping,
        is_call=calls is not None,
        is_bound=is_bound,
        is_wrapped=compiled.is_wrapped,
        wrapped=_given_to_compile(calls or (), program) if compiled.is_wrapped else "",
    )


def _given_to_compile(calls: Iterable[ast.Call], program: Program) -> str:
    """Return the one variable that `torch.compile` made what the line calls of; empty if none."""
    called = {last_name(call.func) for call in calls}
    given: set[str] = set()
    for site in program.calls("compile"):
        if not isinstance(site.node, ast.Call) or called.isdisjoint(_made_by(site)):
            continue
        given.update(
            ast.unparse(what)
            for what in site.node.args[:1]
            if isinstance(what, ast.Name | ast.Attribute)
        )
    return given.pop() if len(given) == 1 else ""


def _calls_at(frame: Frame | None, program: Program) -> list[ast.Call] | None:
    """Return the calls of a line; None of a function's own lines, where `args` is its own name."""
    module = None if frame is None else program.modules.get(frame.file)
    statement = None if module is None or frame is None else module.statement_at(frame.line)
    if statement is None or isinstance(statement, Definition):
        return None
    return [node for node in ast.walk(statement) if isinstance(node, ast.Call)]


def _given_by_key(compiled: Compiled, program: Program) -> tuple[Mapping[str, str], str]:
    """Return what a library's ``**kwargs`` are at the user's call: by keyword, and the mapping.

    ``{}`` and ``"batch"`` of ``model(**batch)``; the mapping is ``"kwargs"`` where nobody knows.
    """
    unknown: tuple[Mapping[str, str], str] = {}, "kwargs"
    place, frame = compiled.code or compiled.location, own_frame(compiled.stack)
    if place is None or frame is None or not is_installed(place.file):
        return unknown
    module = program.modules.get(frame.file)
    statement = None if module is None else module.statement_at(frame.line)
    calls = [
        part
        for part in ast.walk(statement or ast.Pass())
        if isinstance(part, ast.Call)
        and part.lineno <= frame.line <= (part.end_lineno or part.lineno)
        and part.keywords
    ]
    if len(calls) != 1:
        return unknown
    given = {
        each.arg or "**": ast.unparse(each.value)
        for each in calls[0].keywords
        if isinstance(each.value, ast.Name | ast.Attribute)
    }
    return given, given.pop("**", "kwargs")


def _made_by(call: Site) -> set[str | None]:
    """Return the names of what is assigned the result of a call."""
    return {last_name(one) for one in targets_of(call.module.parents.get(call.node, call.node))}


def given(frame: Frame | None, functions: frozenset[str], program: Program) -> Mapping[str, str]:
    """Return the names by which the call at ``frame`` gives its arguments, by place or by keyword.

    A call of what `torch.compile` has made, or of one of ``functions``.
    """
    module = None if frame is None else program.modules.get(frame.file)
    statement = None if module is None or frame is None else module.statement_at(frame.line)
    if statement is None or frame is None or isinstance(statement, ast.FunctionDef):
        return {}
    compiled = functions.union(*map(_made_by, program.calls("compile")))
    calls = [
        part
        for part in ast.walk(statement)
        if isinstance(part, ast.Call)
        and part.lineno <= frame.line <= (part.end_lineno or part.lineno)
        and last_name(part.func) in compiled
    ]
    if len(calls) != 1:
        return {}
    found: dict[str, str] = {}
    for place, given in enumerate(calls[0].args):
        if isinstance(given, ast.Starred):
            break
        if isinstance(given, ast.Name | ast.Attribute):
            found[str(place)] = ast.unparse(given)
    for each in calls[0].keywords:
        if each.arg is not None and isinstance(each.value, ast.Name | ast.Attribute):
            found[each.arg] = ast.unparse(each.value)
    return found
