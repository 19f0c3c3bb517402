"""`ca baseline`, and what is new after it."""

from __future__ import annotations

from pathlib import Path

from tests.integration.conftest import Runner
from tests.unit.logwriter import sample_run
from tests.unit.reports.gates.made import recapturing
from tests.unit.reports.written import run_folder

# --- ca baseline --------------------------------------------------------------------------


def test_baseline_and_what_is_new_after_it(work: Path, ca: Runner) -> None:
    before = run_folder(work / "before", recapturing([3]))
    log = recapturing([3], line=77)
    log.compiled("4/0", 1.0)
    log.compiled("4/1", 2.0, recompile_reason="4/0: n == 1.0   # return y * n")
    after = run_folder(work / "after", log)

    written = ca("baseline", before)
    same = ca("check", before, "--baseline", "ca-baseline.json")
    more = ca("check", after, "--baseline", "ca-baseline.json")
    clean = ca("check", run_folder(work / "c", recapturing([])), "--baseline", "ca-baseline.json")

    assert written.stdout == "ca-baseline.json: 1 known finding\n"
    assert same.code == 0
    assert same.stdout.startswith("Passed: no new findings (1 known).\n")
    assert more.code == 1
    assert "Failed: 1 new finding." in more.stdout
    assert "CA206" not in more.stdout
    assert clean.code == 0
    assert "1 in the baseline is gone: CA206 in " in clean.stdout
    assert "--update`" in clean.stdout


def test_baseline_of_the_settings(work: Path, ca: Runner) -> None:
    (work / "ca.toml").write_text('baseline = "known.json"\n')
    run = run_folder(work / "run", recapturing([3]))

    missing = ca("check", run)
    written = ca("baseline", run)
    green = ca("check", run)

    assert missing.code == 2
    assert "`ca baseline` writes one" in missing.stderr
    assert written.stdout.endswith("known.json: 1 known finding\n")
    assert green.code == 0
    assert green.stderr == "ca: settings: ca.toml, baseline: known.json\n"


def test_baseline_overwrites_nothing_unasked(work: Path, ca: Runner) -> None:
    first = run_folder(work / "a", recapturing([3]))
    second = run_folder(work / "b", sample_run())
    ca("baseline", first)
    before = (work / "ca-baseline.json").read_text()
    (work / "package.json").write_text("{}")

    refused = ca("baseline", second)
    foreign = ca("baseline", second, "-o", "package.json", "--update")
    kept = (work / "ca-baseline.json").read_text()
    updated = ca("baseline", second, "--update")

    assert refused.code == foreign.code == 2
    assert "--update replaces it" in refused.stderr
    assert "is not a ca baseline" in foreign.stderr
    assert kept == before
    assert (work / "package.json").read_text() == "{}"
    assert updated.code == 0
    assert updated.stdout == "ca-baseline.json: 4 known findings, 3 of them new, 0 gone\n"
