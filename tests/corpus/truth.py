"""What is known of a program of the corpus: `truth.toml` beside it.

Lines are given by a quoted piece of source that occurs once in its file, never by number, so
that the programs hold no hints and can be edited.
"""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

from tests.corpus import packed

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).parent
SAMPLES = HERE.parents[1] / "sample_scripts"
SEEN, UNSEEN = packed.PROGRAMS, HERE / "unseen"
# Programs rebuilt from public reports: same mechanism, other names, no code of the report's.
REPORTS = HERE / "reports"
KEYS = {
    "about", "kind", "options", "left", "not_blamed", "cold", "cause", "source", "script", "fails",
}  # fmt: skip
CAUSE_KEYS = {"inherent", "code", "accept", "saves", "lines", "noticed", "advice", "fix"}


@dataclass(frozen=True)
class Quote:
    """A piece of source that occurs once in `file`."""

    file: str
    text: str

    def lines_in(self, folder: Path) -> range:
        """Every line of the statement that it stands in, or of a compound statement's head."""
        source = (folder / self.file).read_text()
        assert source.count(self.text) == 1, f"{folder.name}/{self.file}: {self.text!r}"
        line = source[: source.index(self.text)].count("\n") + 1
        found = range(line, line + 1)
        for node in _statements(source):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
            if first <= line <= last and not body:
                found = range(first, last + 1)
        return found


@lru_cache(maxsize=64)
def _statements(source: str) -> list[ast.stmt]:
    return [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt)]


@dataclass(frozen=True)
class Edit:
    """`old`, which occurs once in `file`, becomes `new`."""

    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Cause:
    """One thing that is wrong with a program, and what mends it."""

    code: str
    # Which of torch's counts is lower once this alone is mended.
    saves: str
    # The line to edit: any of these.
    lines: list[Quote]
    # What a fix must speak of to be the one that was applied: a regular expression.
    advice: str
    # The remedy, applied literally.
    fix: list[Edit]
    # Other codes that say the same of it.
    accept: list[str] = field(default_factory=list)
    # Where it shows, if that is another line.
    noticed: list[Quote] = field(default_factory=list)
    # A compile that happens once in every program of its kind (a size becomes dynamic): `ca` counts
    # it apart, and tells it as info.
    inherent: bool = False

    @property
    def codes(self) -> set[str]:
        return {self.code, *self.accept}


@dataclass(frozen=True)
class Program:
    """A folder with a `script`, and the truth about it; no causes: a clean one."""

    folder: Path
    about: str
    # "backward" under compiled autograd, "forward" with plain `torch.compile`.
    kind: str
    causes: list[Cause]
    # Options of `ca run`.
    options: list[str] = field(default_factory=list)
    # What torch still counts once everything is mended: what is inherent; -1: any number.
    left: dict[str, int] = field(default_factory=dict)
    # Codes of things that this program does and that cost nothing.
    not_blamed: list[str] = field(default_factory=list)
    # Run in an interpreter of its own: process groups have threads, which no fork survives.
    cold: bool = False
    # The public thread that it is rebuilt from.
    source: str = ""
    script: str = "train.py"
    # Whether it ends with an exception, as the report does.
    fails: bool = False

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def unseen(self) -> bool:
        return self.folder.parent == UNSEEN

    @property
    def group(self) -> str:
        """The set whose rates it counts in."""
        seen = "unseen" if self.unseen else "seen"
        return f"{seen}, {'reports' if self.source else self.kind}"

    @cached_property
    def sources(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in sorted(self.folder.glob("*.py"))}

    @property
    def enabled_backend(self) -> str | None:
        """The backend of `--enable`, if the program is run with that."""
        if "--enable" not in self.options:
            return None
        return self.options[self.options.index("--backend") + 1]

    def mended(self, causes: list[Cause]) -> dict[str, str]:
        """The sources with the fixes of `causes`.

        Raises AssertionError if the text of an edit is not there exactly once.
        """
        sources = dict(self.sources)
        for cause in causes:
            for edit in cause.fix:
                there = sources[edit.file].count(edit.old)
                assert there == 1, f"{self.name}/{edit.file}: {edit.old!r} is there {there} times"
                sources[edit.file] = sources[edit.file].replace(edit.old, edit.new)
        return sources


@dataclass(frozen=True)
class Sample(Program):
    """One script of a rule's pair: the bad one has the cause that it marks, the fixed one none."""

    @property
    def name(self) -> str:
        return Path(self.script).stem

    @property
    def group(self) -> str:
        return "samples"

    @cached_property
    def sources(self) -> dict[str, str]:
        return {self.script: (self.folder / self.script).read_text()}


# In the docstring of a sample.
ENDS_WITH_ERROR = "Ends with an error."
NEEDS_CUDA = "Runs on CUDA only."


def samples() -> list[Program]:
    """Return the scripts of all rules' pairs that run on a CPU.

    No edit is known of them that mends them, nor a text that their advice must have.
    """
    found: list[Program] = []
    for path in sorted(SAMPLES.glob("ca[0-9][0-9][0-9]_*.py")):
        text = path.read_text()
        if NEEDS_CUDA in text:
            continue
        code = path.name[:5].upper()
        causes = []
        if path.stem.endswith("_bad"):
            causes = [Cause(code, "", [Quote(path.name, f"# <- {code}")], "", [])]
        kind = "backward" if code < "CA7" else "forward"
        fails, cold = ENDS_WITH_ERROR in text, "init_process_group" in text
        found.append(Sample(SAMPLES, "", kind, causes, cold=cold, script=path.name, fails=fails))
    return found


def table(file: Path) -> dict[str, Any]:
    """The contents of a TOML file."""
    return tomllib.loads(file.read_text())


def load(folder: Path) -> Program:
    """Read the truth about one program. Raises AssertionError where it is malformed."""
    told = table(folder / "truth.toml")
    assert set(told) <= KEYS, f"{folder.name}: {set(told) - KEYS}"
    causes = []
    for cause in told.pop("cause", []):
        assert set(cause) <= CAUSE_KEYS, f"{folder.name}: {set(cause) - CAUSE_KEYS}"
        re.compile(cause["advice"])
        for key in ("lines", "noticed"):
            cause[key] = [Quote(**quote) for quote in cause.get(key, [])]
        cause["fix"] = [Edit(**edit) for edit in cause["fix"]]
        causes.append(Cause(**cause))
    return Program(folder, causes=causes, **told)


@cache
def programs() -> tuple[Program, ...]:
    """All programs of the corpus, the seen ones first."""
    places = SEEN, packed.folder(), UNSEEN, REPORTS
    folders = [path.parent for place in places for path in place.glob("*/truth.toml")]
    return tuple(sorted(map(load, folders), key=lambda one: (one.unseen, one.name)))
