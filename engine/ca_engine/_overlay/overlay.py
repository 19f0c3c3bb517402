"""Run a Python program with other texts in the place of some of its files, none of them written.

    python overlay.py TEXTS SCRIPT [ARGS]...
    python overlay.py TEXTS -m MODULE [ARGS]...

``TEXTS`` is a JSON file: absolute path of a source file → path of the text to run instead. The
program's arguments, `sys.path` and ``__file__`` are as under plain Python, and `inspect` finds the
source that runs. No bytecode is read or written for the replaced files. Standard library only, and
run by its path: nothing of ours is imported. It serves the process itself and those that it forks,
and of a recorded run those that `multiprocessing` starts from scratch: ``CA_TEXTS`` tells
`ca_engine.boot` there. A script that the program starts by a command of its own runs as it is, with
the modules that it imports replaced.
"""

from __future__ import annotations

import json
import linecache
import os
import runpy
import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


# Where the processes that the program starts find the texts.
VARIABLE = "CA_TEXTS"


class Loader(SourceFileLoader):
    """Loads a module from a text that is not its file's."""

    def __init__(self, name: str, path: str, text: bytes) -> None:
        super().__init__(name, path)
        self._text = text

    def get_data(self, path: str) -> bytes:
        """Return the other text."""
        return self._text

    def path_stats(self, path: str) -> Mapping[str, float]:
        """Raise OSError: without a time of change Python keeps no bytecode."""
        raise OSError(path)


class Finder:
    """Finds what `PathFinder` finds, and gives replaced files another loader."""

    def __init__(self, texts: Mapping[str, bytes]) -> None:
        self._texts = texts

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a replaced file; None for every other module."""
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.origin is None:
            return None
        text = self._texts.get(os.path.realpath(spec.origin))
        if text is None:
            return None
        spec.loader = Loader(name, spec.origin, text)
        spec.cached = None
        return spec


def install(place: str) -> dict[str, bytes]:
    """Let files be imported as the texts that ``place`` names; return these by the files."""
    with open(place, encoding="utf-8") as file:  # noqa: PTH123 -- pathlib takes longer
        named: dict[str, str] = json.load(file)
    texts: dict[str, bytes] = {}
    for path, other in named.items():
        with open(other, "rb") as file_of_text:  # noqa: PTH123
            texts[os.path.realpath(path)] = file_of_text.read()
    sys.meta_path.insert(0, Finder(texts))
    for path, text in texts.items():
        _show_lines(path, text)
    return texts


def serve_spawned(place: str) -> None:
    """Let what `multiprocessing` runs of its parent's script be the other text, in this process."""
    texts = install(place)
    as_it_was = runpy.run_path

    def run_path(
        path_name: str, init_globals: dict[str, Any] | None = None, run_name: str | None = None
    ) -> dict[str, Any]:
        text = texts.get(os.path.realpath(path_name))
        if text is None or init_globals is not None or run_name is None:
            return as_it_was(path_name, init_globals, run_name)
        _show_lines(path_name, text)
        return dict(_run(path_name, text, ModuleType(run_name)))

    runpy.run_path = run_path


def main(arguments: list[str]) -> None:
    """Run the program that ``arguments`` name."""
    texts = install(arguments[0])
    os.environ[VARIABLE] = arguments[0]
    if arguments[1] == "-m":
        sys.argv = arguments[2:]
        sys.path[0] = os.getcwd()  # noqa: PTH109
        runpy.run_module(arguments[2], run_name="__main__", alter_sys=True)
        return
    script = arguments[1]
    sys.argv = arguments[1:]
    real = os.path.realpath(script)
    sys.path[0] = os.path.dirname(real)  # noqa: PTH120
    replaced = texts.get(real)
    if replaced is None:
        with open(script, "rb") as source:  # noqa: PTH123
            replaced = source.read()
    else:
        _show_lines(script, replaced)
    program = ModuleType("__main__")
    sys.modules["__main__"] = program
    _run(script, replaced, program)


def _run(script: str, text: bytes, program: ModuleType) -> dict[str, Any]:
    program.__file__ = script
    program.__dict__["__builtins__"] = __builtins__
    exec(compile(text, script, "exec", dont_inherit=True), program.__dict__)
    return program.__dict__


def _show_lines(path: str, text: bytes) -> None:
    """Let `inspect` and `traceback` show the lines that run."""
    lines = text.decode("utf-8", "replace").splitlines(keepends=True)
    # Without a time of change, `linecache` does not compare the entry with the file.
    linecache.cache[path] = (len(text), None, lines, path)


if __name__ == "__main__":
    main(sys.argv[1:])
