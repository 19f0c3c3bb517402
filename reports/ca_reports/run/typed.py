"""Programs that are in no file: a notebook's cells, the text after ``-c``, what stdin brought.

Python calls the code of a cell after a file that never was, and that of ``-c`` ``<string>``, as all
code that a program makes for itself. Here both get the names that their user knows: ``In[3]``,
``-c``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from ca_reports.program.files import RecordedSource, digest_of, parsed
from ca_reports.program.stack import Frame, user_function
from ca_reports.words.places import COMMAND

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ca_reports.run.model import Process

_STRING = "<string>"


def with_typed_names(
    processes: Iterable[Process], kept: Mapping[str, RecordedSource]
) -> tuple[tuple[Process, ...], dict[str, RecordedSource]]:
    """Name cells and the text of ``-c`` in all that ``processes`` say of places.

    Also return their source, beside what the run has ``kept``.
    """
    source = dict(kept)
    named = []
    command = kept.get(COMMAND)
    for process in processes:
        # A cell that was run again has the number that stands beside it now.
        names = {cell.file: cell.name for cell in process.cells}
        for cell in process.cells:
            if names[cell.file] == cell.name:
                source[cell.name] = RecordedSource(digest_of(cell.text), cell.text)
        if names:
            process = _Renaming(_cells_named(names)).of(process)
        if command is not None and command.text is not None:
            process = _Renaming(_command_named(command.text)).of(process)
        named.append(process)
    return tuple(named), source


class _Renaming:
    """Applies a change to all frames and texts in a record, and leaves the rest as it is."""

    def __init__(self, changed: tuple[Callable[[Frame], Frame], Callable[[str], str]]) -> None:
        self._frame, self._text = changed
        self._frames: dict[Frame, Frame] = {}

    def of(self, process: Process) -> Process:
        return cast("Process", self._of(process))

    def _of(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, Frame):
            found = self._frames.get(value)
            if found is None:
                found = self._frames[value] = self._frame(value)
            return found
        if isinstance(value, tuple | list):
            parts = [self._of(one) for one in value]
            if all(new is old for new, old in zip(parts, value, strict=True)):
                return value
            made = type(value)
            return made(*parts) if hasattr(value, "_fields") else made(parts)
        if isinstance(value, Mapping):
            return {self._of(key): self._of(one) for key, one in value.items()}
        if is_dataclass(value) and not isinstance(value, type):
            new = {each.name: self._of(getattr(value, each.name)) for each in fields(value)}
            changed = {name: one for name, one in new.items() if one is not getattr(value, name)}
            return replace(value, **changed) if changed else value
        return value


def _cells_named(names: Mapping[str, str]) -> tuple[Callable[[Frame], Frame], Callable[[str], str]]:
    pattern = re.compile("|".join(map(re.escape, names)))

    def in_text(told: str) -> str:
        return pattern.sub(lambda found: names[found[0]], told)

    def in_frame(frame: Frame) -> Frame:
        name = names.get(frame.file)
        return frame if name is None else replace(frame, file=name)

    return in_frame, in_text


def _command_named(code: str) -> tuple[Callable[[Frame], Frame], Callable[[str], str]]:
    """Return what finds ``code`` in frames, and in texts, that have ``<string>`` for its file."""
    tree = parsed(code)
    functions = [
        (one.name, min([one.lineno, *(each.lineno for each in one.decorator_list)]), one.end_lineno)
        for one in ast.walk(tree or ast.Module([], []))
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    lines = len(code.splitlines())

    def in_frame(frame: Frame) -> Frame:
        if frame.file != _STRING or not 0 < frame.line <= lines:
            return frame
        name = user_function(frame.function)
        is_own = name in ("", "<module>", "<lambda>") or any(
            name == own and first <= frame.line <= (last or first) for own, first, last in functions
        )
        return replace(frame, file=COMMAND) if is_own else frame

    return in_frame, lambda told: told
