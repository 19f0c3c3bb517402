"""Finds the variable of the environment, or the line of the program, that set a part of a key."""

from __future__ import annotations

import ast
import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ca_reports.costs.caches.components import INDUCTOR, split
from ca_reports.program.configured import assigned, compiled_with, patched
from ca_reports.program.syntax import Program, keyword

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

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
    """Origins of a component: ``variables`` that differ, else ``lines`` of the program."""

    variables: tuple[Variable, ...] = ()
    lines: tuple[Frame, ...] = ()

    def __bool__(self) -> bool:
        """Return whether anything is known."""
        return bool(self.variables or self.lines)


class ProgramSettings:
    """Settings in the program of a run, as far as its source may be read."""

    def __init__(self, files: SourceFiles, run: Run) -> None:
        """Parse the files that ``run`` compiled functions of, and its scripts."""
        self._program = Program(files, dict.fromkeys(_entries(run)))
        self._known: dict[tuple[str, str], tuple[Frame, ...]] = {}

    def origin(
        self, name: str, about: Component, before: Mapping[str, str], after: Mapping[str, str]
    ) -> SettingOrigin:
        """Return what sets the component ``name``, given what it is and both environments."""
        differing = tuple(
            Variable(variable, before.get(variable), after.get(variable))
            for variable in about.variables
            if before.get(variable) != after.get(variable)
        )
        if differing:
            return SettingOrigin(variables=differing)
        known = name, about.meaning
        if known not in self._known:
            # A script may be named relatively and absolutely.
            found = {
                (posixpath.basename(frame.file), frame.line, frame.code): frame
                for frame in (site.frame for site in self._sites(name, about))
            }
            self._known[known] = tuple(found.values())
        return SettingOrigin(lines=self._known[known])

    def _sites(self, name: str, about: Component) -> Iterator[Site]:
        group, entry = split(name)
        for function, argument in about.arguments:
            for site in self._program.calls(function):
                assert isinstance(site.node, ast.Call)
                if keyword(site.node, argument) is not None:
                    yield site
        for dotted in about.code:
            yield from assigned(self._program, dotted)
            if "." not in dotted:
                yield from self._program.calls(dotted)
        if group == INDUCTOR and entry is not None:
            yield from compiled_with(self._program, entry)
            yield from patched(self._program, entry)


def _entries(run: Run) -> Iterable[str]:
    for process in run.processes:
        for compiled in process.compiles:
            place = compiled.code or compiled.location
            if place is not None:
                yield place.file
            yield from (frame.file for frame in compiled.stack)
        if process.argv and process.argv[0].endswith(".py"):
            yield process.argv[0]
