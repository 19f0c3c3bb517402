"""What each command prints, word for word, at 80 columns and into a pipe.

``CA_SNAPSHOTS=write python -m pytest tests/unit/cli/test_snapshots.py`` renews ``snapshots/``;
read the difference before you commit it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ca_cli.main import COMMANDS, main
from tests.unit.reports.costs.caches.made import PARTS, start_of
from tests.unit.reports.facts.sizes.made import automatic
from tests.unit.reports.gates.made import recapturing
from tests.unit.reports.written import run_folder

SNAPSHOTS = Path(__file__).parent / "snapshots"
# Of these what is printed depends on the machine, on torch or on a program that they run.
ELSEWHERE = {
    "run": "tests/integration/test_run_fidelity.py",
    "try": "tests/integration/test_try.py",
    "env": "tests/integration/test_env.py",
    "doctor": "tests/integration/test_doctor.py",
    "tlparse": "tests/unit/reports/output/test_tlparse_index.py",
    "completion": "tests/integration/test_completion.py",
    "fix": "tests/integration/test_fix.py",
    "mcp": "tests/integration/test_mcp.py",
}
LINES = {
    "explain-recompiles": "explain-recompiles before",
    "explain-recompiles-all": "explain-recompiles before --all",
    "watch": "watch before --once",
    "report": "report before",
    "graph": "graph before --capture 0/1",
    "rule": "rule CA206",
    "export": "export before --format json -o tables.json",
    "check": "check before",
    "check-budgets": "check before --max-recaptures 9",
    "baseline": "baseline before",
    "diff": "diff before after",
    "caches": "caches cold warm",
    "sizes": "sizes varied --steps 10000",
    "nothing-recorded": "explain-recompiles nowhere",
    "misspelled": "explian",
}


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two runs in it, which is the current one."""
    run_folder(tmp_path / "before", recapturing([3, 4]))
    run_folder(tmp_path / "after", recapturing([], line=12))
    run_folder(tmp_path / "warm", start_of(aot=True))
    other = {**PARTS, "cpp_runtime_thread_count": "1"}
    run_folder(tmp_path / "cold", start_of(other, aot=True))
    run_folder(tmp_path / "varied", automatic({60: 40, 64: 30, 120: 10, 250: 5}))
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "FORCE_COLOR", "NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.parametrize("width", ["80", "pipe"])
@pytest.mark.parametrize("name", LINES)
def test_what_a_command_prints(
    runs: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    width: str,
) -> None:
    if width != "pipe":
        monkeypatch.setenv("COLUMNS", width)
    code = main(LINES[name].split())
    printed = capsys.readouterr()
    assert str(runs) not in printed.out + printed.err
    streams = [f"$ ca {LINES[name]}\n", printed.out]
    if printed.err:
        streams.append(f"--- on stderr\n{printed.err}")
    if code:
        streams.append(f"--- exit code {code}\n")
    # Rich fills the lines of tables with blanks, which editors and reviews do not show.
    text = "\n".join(line.rstrip() for line in "".join(streams).splitlines()) + "\n"

    path = SNAPSHOTS / f"{name}-{width}.txt"
    if os.environ.get("CA_SNAPSHOTS") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8"), "CA_SNAPSHOTS=write renews it"
    if width != "pipe":
        assert max(map(len, text.splitlines())) <= int(width)


def test_every_command_is_here_or_elsewhere() -> None:
    here = {line.split()[0] for line in LINES.values()} - {"explian"}
    assert here | set(ELSEWHERE) == set(COMMANDS)
    assert not here & set(ELSEWHERE)
    for test in ELSEWHERE.values():
        assert (Path(__file__).parents[3] / test).is_file()


def test_there_is_no_snapshot_of_nothing() -> None:
    expected = {f"{name}-{width}.txt" for name in LINES for width in ("80", "pipe")}
    assert {path.name for path in SNAPSHOTS.iterdir()} == expected
