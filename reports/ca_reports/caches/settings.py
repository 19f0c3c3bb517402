"""Where a part of a key was set: a variable of the environment, or a line of the program."""

from __future__ import annotations

import ast
import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ca_reports.caches.components import INDUCTOR, MODES, component, split
from ca_reports.program.syntax import Program, keyword, last_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ca_reports.model import Frame, Run
    from ca_reports.program.files import SourceFiles
    from ca_reports.program.syntax import Site

_COMPILE = "compile"


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of the environment whose value differs; None where it was not set."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class SettingOrigin:
    """What sets a component: ``variables`` that differ, else the ``lines`` of the program."""

    variables: tuple[Variable, ...] = ()
    lines: tuple[Frame, ...] = ()

    def __bool__(self) -> bool:
        """Return whether anything is known."""
        return bool(self.variables or self.lines)


class ProgramSettings:
    """What the program of a run sets, as far as its source may be read."""

    def __init__(self, files: SourceFiles, run: Run) -> None:
        """Parse the files that ``run`` compiled functions of, and its scripts."""
        self._program = Program(files, dict.fromkeys(_entries(run)))
        self._known: dict[str, tuple[Frame, ...]] = {}

    def origin(
        self, name: str, before: Mapping[str, str], after: Mapping[str, str]
    ) -> SettingOrigin:
        """Return what sets the component ``name``, given both environments."""
        about = component(name)
        differing = tuple(
            Variable(variable, before.get(variable), after.get(variable))
            for variable in about.variables
            if before.get(variable) != after.get(variable)
        )
        if differing:
            return SettingOrigin(variables=differing)
        if name not in self._known:
            # A script may be named relatively and absolutely.
            found = {
                (posixpath.basename(frame.file), frame.line, frame.code): frame
                for frame in (site.frame for site in self._sites(name))
            }
            self._known[name] = tuple(found.values())
        return SettingOrigin(lines=self._known[name])

    def _sites(self, name: str) -> Iterator[Site]:
        group, entry = split(name)
        for dotted in component(name).code:
            *owners, last = dotted.split(".")
            yield from self._assigned(last, owners)
            for site in self._program.calls(last):
                if not owners:
                    yield site
        if group == INDUCTOR and entry is not None:
            yield from self._compiled_with(entry)
            yield from self._patched(entry)

    def _assigned(self, last: str, owners: list[str]) -> Iterator[Site]:
        for site in self._program.sites(ast.Assign, ast.AugAssign, ast.AnnAssign):
            node = site.node
            targets: list[ast.expr] = []
            if isinstance(node, ast.Assign):
                targets = node.targets
            elif isinstance(node, ast.AugAssign | ast.AnnAssign):
                targets = [node.target]
            for target in targets:
                if not isinstance(target, ast.Attribute):
                    continue
                if _names(target)[-len(owners) - 1 :] == [*owners, last]:
                    yield site

    def _compiled_with(self, setting: str) -> Iterator[Site]:
        """Yield calls of `torch.compile` whose mode or options are about ``setting``."""
        for site in self._program.calls(_COMPILE):
            assert isinstance(site.node, ast.Call)
            mode = keyword(site.node, "mode")
            is_mode = isinstance(mode, ast.Constant) and setting in MODES.get(str(mode.value), ())
            if is_mode or _has_key(keyword(site.node, "options"), setting):
                yield site

    def _patched(self, setting: str) -> Iterator[Site]:
        """Yield `config.patch(max_autotune=True)`, and with a dictionary or a text."""
        for site in self._program.calls("patch"):
            assert isinstance(site.node, ast.Call)
            first = site.node.args[0] if site.node.args else None
            is_text = isinstance(first, ast.Constant) and first.value == setting
            if keyword(site.node, setting) or is_text or _has_key(first, setting):
                yield site


def _entries(run: Run) -> Iterable[str]:
    for process in run.processes:
        for compiled in process.compiles:
            place = compiled.code or compiled.location
            if place is not None:
                yield place.file
            yield from (frame.file for frame in compiled.stack)
        if process.argv and process.argv[0].endswith(".py"):
            yield process.argv[0]


def _has_key(node: ast.expr | None, key: str) -> bool:
    return isinstance(node, ast.Dict) and any(
        isinstance(each, ast.Constant) and each.value == key for each in node.keys
    )


def _names(node: ast.expr) -> list[str]:
    """``["torch", "backends", "cuda"]`` of ``torch.backends.cuda``."""
    found: list[str] = []
    while isinstance(node, ast.Attribute):
        found.append(node.attr)
        node = node.value
    return [*([last_name(node)] if last_name(node) else []), *reversed(found)]
