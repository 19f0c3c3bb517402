"""Logs that were pasted as a string of something else."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.logs.escaped import lines_in
from tests.unit.reports.logs.test_wrapped import TEXT, broken


def as_docker_writes_it(text: str) -> str:
    entries = [{"log": line + "\n", "stream": "stderr", "time": "now"} for line in text.split("\n")]
    return "\n".join(map(json.dumps, entries))


def quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.split("\n"))


def of_rank(text: str) -> str:
    return "\n".join(f"[rank0]:{line}" for line in text.split("\n"))


FIXTURES = Path(__file__).parents[3] / "fixtures"
PASTED: dict[str, Callable[[str], str]] = {
    "a JSON string": json.dumps,
    "a field of an object": lambda text: json.dumps({"rc": 1, "stderr": text}),
    "an indented object": lambda text: json.dumps({"stderr": text, "rc": 1}, indent=2),
    "a JSON log": as_docker_writes_it,
    "a repr": repr,
    "quoted": quoted,
    "indented": lambda text: "\n".join(f"    {line}" for line in text.split("\n")),
    "coloured": lambda text: "\n".join(f"\x1b[32m{line}\x1b[0m" for line in text.split("\n")),
    "of a rank": of_rank,
    "broken at 80 columns": lambda text: broken(text, 80),
    "broken at 120 columns, with colours": lambda text: "\n".join(
        f"\x1b[32m{row}\x1b[0m" for row in broken(text, 120).split("\n")
    ),
    "broken and quoted": lambda text: quoted(broken(text, 78)),
    "broken, of a rank": lambda text: broken(of_rank(text), 80),
    "broken, with Windows' ends of lines": lambda text: broken(text, 80).replace("\n", "\r\n"),
    "coloured in JSON": lambda text: json.dumps(
        "\n".join(f"\x1b[32m{line}\x1b[0m" for line in text.split("\n"))
    ),
    "JSON in JSON": lambda text: json.dumps({"body": json.dumps({"stderr": text})}),
    "from a page, with no-break spaces": lambda text: text.replace(" ", "\xa0"),
    "with an editor's quotes": lambda text: text.replace("'", "\u2019").replace('"', "\u201d"),
    "indented by a tab": lambda text: "\n".join(f"\t{line}" for line in text.split("\n")),
    "with spaces at the ends of its lines": lambda text: text.replace("\n", "  \n"),
    "a page's source": lambda text: f"<pre>{html.escape(text, quote=False)}</pre>",
    "a page's lines": lambda text: f"<div class='log'>{html.escape(text)}</div>".replace(
        "  ", "&nbsp; "
    ).replace("\n", "<br>\n"),
    "a test's result": lambda text: (
        '<testcase name="a"><system-err>'
        + html.escape(text, quote=False)
        + "</system-err></testcase>"
    ),
    "cut in the middle of its first line": lambda text: text[text.index("torch/") + 3 :],
}


def said(path: Path) -> list[tuple[str, int | None]]:
    analysis = analyze(ca_reports.load([path]))
    return [
        (found.code, None if found.location is None else found.location.line)
        for found in analysis.diagnosis.findings
    ]


@pytest.mark.parametrize("pasted", PASTED)
def test_what_was_pasted_says_what_the_log_says(tmp_path: Path, pasted: str) -> None:
    (tmp_path / "log.txt").write_text(TEXT)
    (tmp_path / "pasted.txt").write_text(PASTED[pasted](TEXT))
    assert said(tmp_path / "pasted.txt") == said(tmp_path / "log.txt")


@pytest.mark.parametrize(
    "pasted", ["a JSON string", "an indented object", "a repr", "JSON in JSON"]
)
@pytest.mark.parametrize("name", ["break_without_heads", "quoted_limit", "end_of_a_traceback"])
def test_messages_without_heads_are_read_out_of_strings(
    tmp_path: Path, pasted: str, name: str
) -> None:
    text = (FIXTURES / "pasted" / f"{name}.txt").read_text()
    (tmp_path / "log.txt").write_text(text)
    (tmp_path / "pasted.txt").write_text(PASTED[pasted](text))
    assert said(tmp_path / "pasted.txt") == said(tmp_path / "log.txt") != []


@pytest.mark.parametrize("name", ["exponents", "kinds_of_tensors", "two_ranks"])
def test_a_first_line_without_its_beginning_is_of_the_same_process(
    tmp_path: Path, name: str
) -> None:
    text = (FIXTURES / "pasted" / f"{name}.txt").read_text()
    begin = re.search(r"^(\[rank\d\]:)?[VW]\d{4} ", text, re.M)
    assert begin is not None
    text = text[begin.start() :]
    (tmp_path / "log.txt").write_text(text)
    (tmp_path / "cut.txt").write_text(text[text.index("torch/") + 3 :])
    whole, cut = (analyze(ca_reports.load([tmp_path / file])) for file in ("log.txt", "cut.txt"))
    assert cut.summary.captures == whole.summary.captures
    assert cut.summary.least_recompiles == whole.summary.least_recompiles
    assert len(cut.run.processes) == len(whole.run.processes)


def test_an_end_of_a_line_in_source_is_none_of_the_logs() -> None:
    line = b"V1126 09:34:50.006000 26265 torch/x.py:1] [0/1] [__graph_breaks]     print('a\\nb')"
    assert lines_in(line) is None
    assert lines_in(b'{"a": 1}') is None
    assert lines_in(b'{"V1126 09:34:50.006000 ') is None


MESSAGE = """Recompiling function step in /t/train.py:7
    triggered by the following guard failure(s):
    - 3/1: n == 2
    - 3/0: n == 1"""


@pytest.mark.parametrize(
    "entry",
    [
        f"level=debug logger=torch msg={json.dumps(MESSAGE)}",
        "Nov 28 02:14:38 gpu7 python[12]: DEBUG:a:" + MESSAGE.replace("\n", "#012"),
        json.dumps({"level": "DEBUG", "message": MESSAGE}),
    ],
)
def test_a_message_in_an_entry_of_another_log(tmp_path: Path, entry: str) -> None:
    (tmp_path / "app.log").write_text(f"{entry}\n")
    (found,) = ca_reports.load([tmp_path / "app.log"]).recompiles
    assert found.recompile_reason == "3/1: n == 2\n3/0: n == 1"


def test_the_octal_number_in_other_text_ends_no_line() -> None:
    assert lines_in(b"colour #012345 # 012 #012") is None
