"""Logs behind what launchers, collectors, CI services, mails and issues put before each line."""

from __future__ import annotations

import gzip
import html
import itertools
import json
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.logs.decoration import Decoration
from ca_reports.output import json as as_json

if TYPE_CHECKING:
    from collections.abc import Callable

FIXTURES = Path(__file__).parents[3] / "fixtures"
PASTED = sorted((FIXTURES / "pasted").glob("*.txt"))
# Real ones, where they are at hand.
SHARED = Path(__file__).parents[5] / "shared" / "logs"
LOGS = [
    *PASTED,
    *SHARED.glob("stock/*.txt"),
    FIXTURES / "torch" / "2.13.0.txt.gz",
    FIXTURES / "torch" / "2.13.0.log.gz",
]
COLUMNS = (80, 100, 120)


class Decorations(NamedTuple):
    """What a log goes through, from the inside out."""

    colour: bool
    before: str
    escaped: bool
    quoted: bool
    columns: int | None


def content(log: Path) -> str:
    data = log.read_bytes()
    return (gzip.decompress(data) if log.suffix == ".gz" else data).decode()


def timed(number: int) -> str:
    return f"2026-11-27T16:{number // 60 % 60:02d}:{number % 60:02d}.{number * 7919 % 10**7:07d}Z "


# Each takes the number of a line.
BEFORE: dict[str, Callable[[int], str]] = {
    "nothing": lambda _: "",
    "a quotation": lambda _: "> ",
    "a quotation of one": lambda _: ">> ",
    "an item of a list": lambda _: "* ",
    "an indentation": lambda _: "    ",
    "a tab": lambda _: "\t",
    "a job's name": lambda _: "trainer-0 | ",
    "mpirun": lambda _: "[1,0]<stderr>:",
    "a CI service": lambda number: f"build\tRun tests\t{timed(number)}",
    "a server's time": timed,
    "a logger": lambda number: f"INFO 11-27 16:20:{number % 60:02d} [worker.py:77] ",
    "numbers of lines": lambda number: f"{number:>6} | ",
    "unaligned numbers": lambda number: f"{number}: ",
}
decorations = st.builds(
    Decorations,
    colour=st.booleans(),
    before=st.sampled_from(list(BEFORE)),
    escaped=st.booleans(),
    quoted=st.booleans(),
    columns=st.sampled_from((None, *COLUMNS)),
)


def decorated(text: str, how: Decorations) -> str:
    before = BEFORE[how.before]
    lines = [before(number) + line for number, line in enumerate(text.splitlines(), 1)]
    if how.columns is not None:
        lines = list(itertools.chain.from_iterable(_broken(line, how.columns) for line in lines))
    if how.colour:
        lines = [f"\x1b[36m{line}\x1b[0m" for line in lines]
    if how.escaped:
        lines = [html.escape(line) for line in lines]
    if how.quoted:
        # The spaces at the end of a line are lost, but not a tab, which begins a payload.
        lines = [f"> {line}".rstrip(" ") for line in lines]
    return "\n".join(lines) + "\n"


def _broken(line: str, columns: int) -> list[str]:
    return [line[at : at + columns] for at in range(0, len(line) or 1, columns)]


def found(text: str) -> list[tuple[Any, ...]]:
    """Return the code, the words, the line and the remedy of each finding in a log."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.txt"
        path.write_text(text)
        said = json.loads(as_json.render(analyze(ca_reports.load([path], jobs=1))))
    return [
        tuple(json.dumps(one[key]) for key in ("code", "message", "location", "fix"))
        for one in said["findings"]
    ]


@cache
def found_plain(log: Path) -> list[tuple[Any, ...]]:
    return found(content(log))


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.name)
def test_each_log_says_something(log: Path) -> None:
    assert found_plain(log)


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.name)
def test_the_same_is_said_behind_each_decoration(log: Path, before: str) -> None:
    how = Decorations(False, before, False, False, None)
    assert found(decorated(content(log), how)) == found_plain(log)


@given(st.sampled_from(LOGS), decorations)
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_the_same_is_said_through_all_of_them(log: Path, how: Decorations) -> None:
    if how.columns is not None and not _has_heads(log):
        how = how._replace(columns=None)  # nothing tells where a line of it begins
    assert found(decorated(content(log), how)) == found_plain(log)


def _has_heads(log: Path) -> bool:
    text = content(log)
    return "] {" not in text and text.count("] [__") > 5 and not log.stem.startswith("cut_")


def test_only_the_same_shape_is_taken_off() -> None:
    time = Decoration(b"16:20:43 a| ")
    assert time.strip(b"16:20:44 a| x") == b"x"
    assert time.strip(b"16:20:44 b| x") is None
    assert time.strip(b"16:20:44 a|") is None
    assert Decoration(b"> ").strip(b">") == b""
    assert Decoration(b"").strip(b" x") == b" x"


@pytest.mark.parametrize(
    ("before", "line", "shared"),
    [
        ("2026-11-28 02:14 - a - DEBUG - ", "    - 0/0: n == 3", ""),
        ("9:01 host[7]: DEBUG:a:", "10:02 host[7]:     - 0/0: n == 3", "9:01 host[7]: "),
        ("> DEBUG:a:", ">     - 0/0: n == 3", "> "),
        ("", "    - 0/0: n == 3", ""),
    ],
)
def test_a_second_line_tells_what_stands_before_each(before: str, line: str, shared: str) -> None:
    each = Decoration(before.encode()).shared_with(line.encode())
    assert each.text.decode() == shared
    assert each.strip(line.encode()) == b"    - 0/0: n == 3"
