"""Finds the variable of the environment, or the line of the program, that set a part of a key."""

from __future__ import annotations

import ast
import posixpath
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.costs.caches.components import AUTOGRAD, DYNAMO, INDUCTOR, split
from ca_reports.program.configured import (
    assigned,
    compiled_with,
    in_environment,
    modes,
    optioned,
    patched,
)
from ca_reports.program.syntax import Program, keyword, last_name
from ca_reports.torchlib.inductor import (
    DEFAULT_FOLDER,
    FOLDER_VARIABLES,
    MODES,
    SET_BY_MODES,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from ca_reports.costs.caches.components import Component
    from ca_reports.program.files import SourceFiles
    from ca_reports.program.syntax import Site
    from ca_reports.run.model import Frame, Run


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of the environment whose value differs; None where it was not set."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class SettingOrigin:
    """Origins of a component: ``variables`` that differ, and ``lines`` of the program.

    A line beside variables is where the program sets them itself. ``argument``: the lines are calls
    of a function whose argument of that name sets it. ``written`` is what the first line has for
    the component: an entry of ``options=`` or of a patch, or a function; None where it assigns to
    it, or has it as an argument.
    """

    variables: tuple[Variable, ...] = ()
    lines: tuple[Frame, ...] = ()
    argument: str | None = None
    written: str | None = None

    def __bool__(self) -> bool:
        """Return whether anything is known."""
        return bool(self.variables or self.lines)


@dataclass(frozen=True, slots=True)
class CompileModes:
    """Two modes of `torch.compile`; ``lines`` are where the program chooses one, if it is read."""

    before: str
    after: str
    lines: tuple[Frame, ...]


class ProgramSettings:
    """Settings in the program of a run, as far as its source may be read."""

    def __init__(self, files: SourceFiles, run: Run) -> None:
        """Parse the files that ``run`` compiled functions of, and its scripts."""
        self._program = Program(files, dict.fromkeys(_entries(run)))
        self._known: dict[tuple[str, str], SettingOrigin] = {}
        self._modes: tuple[Frame, ...] | None = None

    def origin(
        self, name: str, about: Component, before: Mapping[str, str], after: Mapping[str, str]
    ) -> SettingOrigin:
        """Return what sets the component ``name``, given what it is and both environments."""
        if found := self.variables(about.variables, before, after):
            return found
        known = name, about.meaning
        if known not in self._known:
            self._known[known] = self._in_program(name, about)
        return self._known[known]

    def variables(
        self, names: Iterable[str], before: Mapping[str, str], after: Mapping[str, str]
    ) -> SettingOrigin:
        """Return which variables of ``names`` differ, and where the program sets them itself."""
        differing = tuple(
            Variable(name, before.get(name), after.get(name))
            for name in names
            if before.get(name) != after.get(name)
        )
        sites = (site for found in differing for site in in_environment(self._program, found.name))
        return SettingOrigin(differing, _lines(sites))

    def _in_program(self, name: str, about: Component) -> SettingOrigin:
        found = list(self._sites(name, about))
        lines = _lines(site for site, _ in found)
        if lines or split(name)[0] != DYNAMO:
            return SettingOrigin(lines=lines, written=found[0][1] if found else None)
        # What Dynamo compiles with one setting only is given in the call.
        for function, argument in about.arguments:
            if called := _lines(self._with_argument(function, argument)):
                return SettingOrigin(lines=called, argument=argument)
        return SettingOrigin()

    def lines(self, dotted: str) -> tuple[Frame, ...]:
        """Return the lines that assign to the attribute of that dotted end."""
        return _lines(assigned(self._program, dotted))

    def called(self, function: str) -> tuple[Frame, ...]:
        """Return the lines that call the function of that name."""
        return _lines(self._program.calls(function))

    def folder(
        self,
        before: str,
        after: str,
        environment: Mapping[str, str],
        later: Mapping[str, str],
    ) -> SettingOrigin:
        """Return which variables made the folders of the cache ``before`` and ``after`` differ.

        Those whose values differ and are in the folders' names. With them the lines where the
        program sets one itself.
        """
        for names in FOLDER_VARIABLES:
            first, second = _set_first(names, environment), _set_first(names, later)
            are_in_names = all(
                value is None or value in path for value, path in ((first, before), (second, after))
            )
            if first != second and are_in_names:
                name = next((one for one in names if one in later or one in environment), names[0])
                lines = _lines(in_environment(self._program, name))
                return SettingOrigin((Variable(name, first, second),), lines)
        return SettingOrigin()

    def mode(
        self, names: Collection[str], before: Collection[str], after: Collection[str]
    ) -> CompileModes | None:
        """Return the modes that two starts were compiled in.

        ``names`` are the settings of inductor that differ, ``before`` and ``after`` those of a
        mode that each start had on. None where no mode has them, or the program sets one itself.
        """
        turned_on = {settings: name for name, settings in MODES.items()}
        modes_of = [turned_on.get(frozenset(settings)) for settings in (before, after)]
        if modes_of[0] is None or modes_of[1] is None or not SET_BY_MODES.issuperset(names):
            return None
        if any(self._is_set(name) for name in names):
            return None
        if self._modes is None:
            self._modes = _lines(modes(self._program))
        return CompileModes(modes_of[0], modes_of[1], self._modes)

    def _is_set(self, setting: str) -> bool:
        """Return whether the program sets one of inductor's settings by its name."""
        by_name = (
            assigned(self._program, f"config.{setting}"),
            optioned(self._program, setting),
            patched(self._program, setting),
        )
        return any(True for sites in by_name for _ in sites)

    def _sites(self, name: str, about: Component) -> Iterator[tuple[Site, str | None]]:
        """Yield where it is set, and what stands there for it, as ``SettingOrigin.written``."""
        group, entry = split(name)
        if group != DYNAMO:
            for function, argument in about.arguments:
                for site in self._with_argument(function, argument):
                    yield site, None
        for dotted in about.code:
            for site in assigned(self._program, dotted):
                if about.method is not None:
                    for made in self._methods(site, about.method):
                        yield made, None
                yield site, None
            if "." not in dotted:
                for site in self._program.calls(dotted):
                    assert isinstance(site.node, ast.Call)
                    yield site, ast.unparse(site.node.func)
        if group == INDUCTOR and entry is not None:
            for site in compiled_with(self._program, entry):
                yield site, f'"{entry}"'
        if group in (INDUCTOR, AUTOGRAD, DYNAMO) and entry is not None:
            for site in patched(self._program, entry):
                yield site, entry

    def _methods(self, assignment: Site, name: str) -> Iterator[Site]:
        """Yield the method of the program's class that the assigned object is made of."""
        value = getattr(assignment.node, "value", None)
        if isinstance(value, ast.Call) and (owner := last_name(value.func)) is not None:
            yield from self._program.method(owner, name)

    def _with_argument(self, function: str, argument: str) -> Iterator[Site]:
        for site in self._program.calls(function):
            assert isinstance(site.node, ast.Call)
            if keyword(site.node, argument) is not None:
                yield site


def _set_first(names: Iterable[str], environment: Mapping[str, str]) -> str | None:
    """Return the value of the first of these variables that is set.

    Torch itself puts the folder that it takes by default into its environment.
    """
    found = next((environment[name] for name in names if environment.get(name)), None)
    is_default = found is not None and posixpath.basename(found).startswith(DEFAULT_FOLDER)
    return None if is_default else found


def _lines(sites: Iterable[Site]) -> tuple[Frame, ...]:
    """Return the line of each site once: a script may be named relatively and absolutely."""
    found = {
        (posixpath.basename(frame.file), frame.line, frame.code): frame
        for frame in (site.frame for site in sites)
    }
    return tuple(found.values())


def _entries(run: Run) -> Iterable[str]:
    for process in run.processes:
        for compiled in process.compiles:
            place = compiled.code or compiled.location
            if place is not None:
                yield place.file
            yield from (frame.file for frame in compiled.stack)
        if process.argv and process.argv[0].endswith(".py"):
            yield process.argv[0]
