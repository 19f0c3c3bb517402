"""`ca run` from outside: its folders, and what it prints at the end."""

from __future__ import annotations

import json
import re
import subprocess
import textwrap
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.integration.conftest import CA, Outcome, clean_environment

if TYPE_CHECKING:
    from tests.integration.conftest import Runner


def test_runs_get_folders_of_their_own(ca: Runner, work: Path) -> None:
    (work / "train.py").write_text("")

    for _ in range(3):
        assert ca("run", "--quiet", "train.py").code == 0

    folders = list((work / "ca-runs").iterdir())
    assert len(folders) == 3
    for folder in folders:
        assert re.fullmatch(r"train-\d{8}-\d{6}(-[23])?", folder.name)
        written = json.loads((folder / "run.json").read_text())
        assert written["command"] == ["ca", "run", "--quiet", "train.py"]
        assert written["script"] == "train.py"
        assert written["cwd"] == str(work)
        assert written["start"] <= written["end"] <= time.time()


def test_the_first_run_file_stands_before_the_script_runs(ca: Runner, work: Path) -> None:
    code = "import os; print(open(os.environ['CA_RUN'] + '/run.json').read())"

    written = json.loads(ca("run", "--quiet", "--engine", "torch", "-c", code).stdout)

    assert written["engine"] == "torch"
    assert written["script"] == "-c"
    assert written["end"] is None


def test_an_empty_folder_is_taken(ca: Runner, work: Path) -> None:
    (work / "here").mkdir()

    assert ca("run", "--quiet", "-o", "here", "-c", "pass").code == 0
    assert (work / "here" / "run.json").exists()


def test_a_file_called_ca_runs_is_left_alone(ca: Runner, work: Path) -> None:
    (work / "ca-runs").write_text("mine")

    outcome = ca("run", "-c", "pass")

    assert outcome.code == 2
    assert outcome.stderr.startswith("ca: cannot make the run folder")
    assert (work / "ca-runs").read_text() == "mine"


def test_a_run_without_torch_says_so(cold_ca: Runner) -> None:
    outcome = cold_ca("run", "-c", "print('hello')")

    assert outcome == Outcome(
        0,
        "hello\n",
        "ca: nothing was recorded: no process of this run imported torch._dynamo\n",
    )


def test_output_of_the_script_comes_before_the_summary(work: Path) -> None:
    code = "import sys; sys.stdout.write('no newline, not flushed;')"

    done = subprocess.run(
        [CA, "run", "-c", code],
        cwd=work,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )

    assert done.stdout.startswith("no newline, not flushed;ca: nothing was recorded")


def test_a_run_within_a_run_records_for_itself(ca: Runner, work: Path) -> None:
    inner = "import os; print(os.environ['CA_RUN'], os.environ['PYTHONPATH'].count('_boot'))"
    outer = (
        "import subprocess, sys; "
        f"subprocess.run([{str(CA)!r}, 'run', '--quiet', '-o', 'inner', '-c', {inner!r}])"
    )

    outcome = ca("run", "--quiet", "-o", "outer", "-c", outer, env={"PYTHONPATH": "lib"})

    assert outcome == Outcome(0, f"{work / 'inner'} 1\n", "")
    for name in ("inner", "outer"):
        assert json.loads((work / name / "run.json").read_text())["end"] is not None


def test_end_of_a_run(recorded: Path) -> None:
    (folder,) = (recorded / "ca-runs").iterdir()
    (trace,) = (folder / "trace").iterdir()
    lines = (recorded / "stderr.txt").read_text().splitlines()

    assert lines[-2:] == [
        f"Details: ca explain-recompiles ca-runs/{folder.name}",
        f"Report:  ca-runs/{folder.name}/report.html",
    ]
    assert "3 backwards" in "\n".join(lines)
    assert (folder / "report.html").stat().st_size > 1000
    written = json.loads((folder / "run.json").read_text())
    (process,) = written["processes"]
    assert process["trace"] == f"trace/{trace.name}"
    assert process["rank"] is None
    assert process["pid"] > 1
    assert set(written["versions"]) >= {"ca", "python", "torch"}
    assert list(folder.glob(".*")) == []


def test_the_users_own_torch_trace_is_filled(recorded: Path) -> None:
    (folder,) = (recorded / "ca-runs").iterdir()
    (trace,) = (folder / "trace").iterdir()
    (linked,) = (recorded / "logs").iterdir()

    assert linked.name == trace.name
    assert linked.samefile(trace)


def test_enable_captures_backwards_of_a_plain_script(ca: Runner, work: Path) -> None:
    (work / "plain.py").write_text(
        textwrap.dedent(
            """
            import torch
            model = torch.nn.Linear(4, 1)
            for _ in range(3):  # the first finds .grad undefined, so the second is another
                model(torch.randn(2, 4)).sum().backward()
            """
        )
    )

    outcome = ca(
        "run", "--enable", "--backend", "eager", "--quiet", "--no-report", "-o", "run", "plain.py"
    )

    assert outcome == Outcome(0, "", "")
    assert not (work / "run" / "report.html").exists()
    summary = json.loads(ca("explain-recompiles", "run", "--format", "json").stdout)["summary"]
    assert summary["backwards"] == 3
    assert summary["captures"] == 2
    assert summary["hits"] == 1
