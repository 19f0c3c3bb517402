"""Where `ca tlparse` writes."""

from __future__ import annotations

from pathlib import Path

from ca_cli.commands.tlparse import default_folder
from tests.unit.logwriter import sample_run
from tests.unit.reports.written import run_folder


def test_pages_of_one_run_go_into_it_and_all_others_here(tmp_path: Path) -> None:
    run = run_folder(tmp_path / "run", sample_run())
    logs = tmp_path / "logs"
    logs.mkdir()
    assert default_folder([str(run)]) == run / "tlparse"
    for others in ([str(logs)], [str(run), str(run)], [str(run / "trace")]):
        assert default_folder(others) == Path("tlparse")
