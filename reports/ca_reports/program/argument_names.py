"""Arguments of compiled functions, by the names that the user's call gives them.

`torch.compile` of one of torch's own modules (`nn.Sequential`) compiles a wrapper around its call:
guards and graphs name `args[0]`, and the module `fn`; the line is that of the user's call (torch
2.13). A library's
forward may be wrapped as well, and take `kwargs['ids']`. Of other functions guards name the
parameters.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Protocol

from ca_reports.program.stack import is_installed, own_frame
from ca_reports.program.syntax import Definition, Program, is_starred, last_name, targets_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ca_reports.program.files import SourceFiles
    from ca_reports.program.stack import Frame
    from ca_reports.program.syntax import Site

_BY_PLACE = re.compile(r"\bargs\[(\d{1,3})\]", re.ASCII)
# In a sentence: by itself or a part of it, and within code.
_QUOTED = re.compile(r"`args\[(\d{1,3})\]([^`\s]{0,80})`", re.ASCII)
# In a sentence without back quotes.
_BARE = re.compile(r"(?<![`\w.])args\[\d{1,3}\](?![\w.\[`])", re.ASCII)
# How Dynamo writes the key of an entry that is known by its number: the dict is named once more.
_NTH_KEY = re.compile(r"\[list\(dict\.keys\([^()`]{1,80}\)\)\[\d{1,6}\]\]", re.ASCII)
# What the wrapper calls, and a part of it, within code.
_WRAPPED = re.compile(r"`fn\.(?P<part>[^`\s]{1,80})`", re.ASCII)
_ORDINALS = ("first", "second", "third", "fourth")
_BY_KEY = re.compile(r"\bkwargs\['(\w{1,80})'\]", re.ASCII)


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


def is_unnamed(text: str, compiled: Compiled) -> bool:
    """Return whether ``text`` has what the code of ``compiled`` knows by no name of the user's.

    An argument of which only the place in a call is known, or what a wrapper of Dynamo's calls.
    """
    is_of_wrapper = compiled.is_wrapped and _WRAPPED.search(text)
    return bool(_BY_PLACE.search(text) or _BY_KEY.search(text) or is_of_wrapper)


def gives_object(call: ast.Call, compiled: Compiled) -> bool:
    """Return whether the first argument that arrived is what stands before the dot of ``call``.

    What wraps a method has its object as `args[0]`: one more than the call gives.
    """
    recorded = () if compiled.held is None else compiled.held.arguments
    places = [int(found[1]) for name, _ in recorded if (found := _BY_PLACE.match(name))]
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
        unnamed = [source for source in sources if _BY_PLACE.search(source)]
        if called_at is None or not unnamed:
            return {}
        if called_at.file not in self._programs:
            self._programs[called_at.file] = Program(self._files, [called_at.file])
        names = given(called_at, frozenset(), self._programs[called_at.file])
        return {source: _named(source, names) for source in unnamed}


@dataclass(frozen=True, slots=True)
class ArgumentNames:
    """Names, in the user's call, of the arguments that guards know by their place or key only.

    ``by_place`` are the variables that the call gives, by the arguments' numbers, ``by_key`` those
    that it gives a library by name, and ``mapping`` what it gives as ``**``. ``is_call``: the line
    is known, and is a call; ``is_bound``: of a method, whose object has the first number.
    ``is_wrapped``: torch's wrapper has what it calls as `fn`, which is ``wrapped`` in the program,
    or empty where `torch.compile` was given no variable.
    """

    by_place: Mapping[str, str] = field(default_factory=dict)
    by_key: Mapping[str, str] = field(default_factory=dict)
    mapping: str = "kwargs"
    is_call: bool = False
    is_bound: bool = False
    is_wrapped: bool = False
    wrapped: str = ""

    def said(self, text: str) -> str:
        """Return a sentence with these names, its code in back quotes.

        What has no name in the call, or is one of several calls on the line, has no name of torch's
        either: ``args[0]`` is "the first argument", and in code "…".
        """
        if self.is_wrapped:
            text = _WRAPPED.sub(self._of_wrapped, text)
        text = _BY_KEY.sub(lambda found: self._of_key(found[1]), text)
        if _BY_PLACE.search(text):
            text = _named(text, self.by_place)
            if not self.is_call:
                return text
            return _BY_PLACE.sub("…", _QUOTED.sub(partial(_in_words, is_bound=self.is_bound), text))
        return text

    def said_plainly(self, text: str) -> str:
        """Return a sentence with these names that may have no back quotes."""
        said = self.said(_BARE.sub(r"`\g<0>`", text))
        return said if "`" in text else said.replace("`", "")

    def _of_wrapped(self, found: re.Match[str]) -> str:
        """Say ``model.0.scale``, or "`0.scale` of the compiled module"."""
        part = found["part"]
        return f"`{self.wrapped}.{part}`" if self.wrapped else f"`{part}` of the compiled module"

    def _of_key(self, key: str) -> str:
        return self.by_key.get(key, f"{self.mapping}['{key}']")


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


def _in_words(found: re.Match[str], *, is_bound: bool) -> str:
    """Say "the second argument" for ``args[1]``; the first, if ``args[0]`` is a method's object."""
    number, part = int(found[1]) - is_bound, _NTH_KEY.sub("[…]", found[2].removeprefix("."))
    if number < 0:
        return f"`{part}` of the method's object" if part else "the method's object"
    which = _ORDINALS[number] if number < len(_ORDINALS) else f"{number + 1}th"
    return f"`{part}` of the {which} argument" if part else f"the {which} argument"


def _named(text: str, names: Mapping[str, str]) -> str:
    return _BY_PLACE.sub(lambda found: names.get(found[1], found[0]), text)


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
