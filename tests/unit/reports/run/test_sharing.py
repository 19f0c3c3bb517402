"""What `ca report --share` leaves out, and what it must not lose."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import ca_reports
from ca_cli.main import main
from ca_reports.diagnosis.analysis import analyze
from ca_reports.run.sharing import shared
from tests.unit.logwriter import LogWriter, keep_source, run_file, sample_run

if TYPE_CHECKING:
    from pathlib import Path

GUARD = "4/0: n == 1.0  # return y * hush  # /home/zoltan/job/train.py:5 in forward"
GRAPH = """class M:
    def forward(self, inputs):
        # File: /home/zoltan/job/train.py:4 in step, code: loss = hush(x)
        getitem = inputs[0]
        # File: /x/compiler.py:1 in set_node_origin, code: PowBackward0 (NodeCall 2)
        pow_1 = getitem ** 2
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run of zoltan's on her workstation."""
    log = sample_run()
    log.ca_run(
        argv=["/home/zoltan/job/train.py", "--data", "hush"],
        cwd="/home/zoltan/job",
        host="zoltans-pc",
    )
    log.compiled("5/0", 1.0)
    log.compiled("5/1", 1.0, recompile_reason=GUARD)
    run = tmp_path / "run"
    log.write(run / "trace" / "zoltan.log")
    described = run_file(
        command=["ca", "run", "train.py", "--data", "hush"],
        script="/home/zoltan/job/train.py",
        cwd="/home/zoltan/job",
        host="zoltans-pc",
        executable="/home/zoltan/venv/bin/python",
    )
    (run / "run.json").write_text(json.dumps(described))
    return run


def test_what_a_shared_page_leaves_out(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    keep_source(folder, "/home/zoltan/job/train.py", "loss.backward()  # hush\n")

    assert main(["report", "run", "--share"]) == 0

    page = (folder / "report-shared.html").read_text("utf-8")
    for secret in ("hush", "zoltan", "loss.backward()"):
        assert secret not in page, page[page.index(secret) - 200 :][:400]
    assert "train.py" in page
    assert "A page for others: source, arguments, error messages" in page
    assert main(["report", "run", "--format", "perfetto", "--share", "-o", "p.json"]) == 0
    for secret in ("hush", "zoltan", "loss.backward()"):
        assert secret not in (tmp_path / "p.json").read_text("utf-8")


def test_a_page_of_ones_own_is_not_called_one_for_others(folder: Path) -> None:
    assert main(["report", str(folder), "-o", str(folder / "own.html")]) == 0
    assert "A page for others" not in (folder / "own.html").read_text("utf-8")


def test_what_is_found_stays(folder: Path) -> None:
    run = ca_reports.load([folder])
    before, after = analyze(run), analyze(shared(run))

    def told(analysis: object) -> list[tuple[str, str | None, int | None]]:
        return [
            (one.code, one.location and one.location.function, one.location and one.location.line)
            for one in analysis.diagnosis.findings  # type: ignore[attr-defined]
        ]

    assert told(before) == told(after)
    assert before.summary == after.summary


def test_texts_in_graphs_and_guards(folder: Path) -> None:
    log = LogWriter()
    log.torch_capture(0)
    run = ca_reports.load([log.write(folder / "trace" / "one.log")])
    from ca_reports.run.sharing import _Sharing

    text = _Sharing(run).text

    assert text(GRAPH) == GRAPH.replace(", code: loss = hush(x)", "").replace("/home/zoltan", "~")
    assert text(GUARD) == "4/0: n == 1.0  # ~/job/train.py:5 in forward"
    assert text("n == 1.0   # return y * hush") == "n == 1.0"
    assert text('from user code:\n  File "a.py", line 3, in f\n    hush(x)\n\nEnd') == (
        'from user code:\n  File "a.py", line 3, in f\n\nEnd'
    )
    two = '  File "a.py", line 3, in f\n    hush()\n  File "b.py", line 4, in g\n    hush()\n'
    assert text(two) == '  File "a.py", line 3, in f\n  File "b.py", line 4, in g\n'
    assert text(r"C:\Users\zoltan\x.py and /Users/zoltan and /root/x") == r"~\x.py and ~ and ~/x"


@pytest.mark.parametrize("other", [["--tlparse"], ["--source-root", "."]])
def test_what_cannot_be_shared(
    folder: Path, other: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(folder), "--share", *other]) == 2
    assert "--share leaves" in capsys.readouterr().err
