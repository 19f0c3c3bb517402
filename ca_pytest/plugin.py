"""The hooks. pytest loads this module in every session of every project.

So nothing is imported here but pytest, and nothing happens for a test that is not recorded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

    from ca_pytest.record import CaRecord
    from ca_pytest.recorder import SessionRecorder

_RECORDER: pytest.StashKey[SessionRecorder] = pytest.StashKey()
_RECORD: pytest.StashKey[CaRecord] = pytest.StashKey()
_OUTCOME: pytest.StashKey[dict[str, Any]] = pytest.StashKey()
# On the reports, which pytest-xdist takes from the workers to the controller.
ATTRIBUTE = "ca_outcome"


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--ca`` and ``--ca-output``."""
    group = parser.getgroup("ca", "recompiles of torch.compile and compiled autograd")
    group.addoption(
        "--ca",
        action="store_true",
        help="Record every test; report captures and recompiles at the end.",
    )
    group.addoption(
        "--ca-output",
        metavar="DIR",
        help="Keep the records of the tests that --ca or a marker records, and an HTML report of "
        "each with findings, in DIR, which must be new or empty.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker; refuse a folder that holds something, before any test runs."""
    limits = "limits"
    if config.getoption("markers"):  # `pytest --markers` prints them; no other session needs them
        from ca_reports.gates.budgets import BUDGETS

        limits = ", ".join(f"{kind.argument}=…" for kind in BUDGETS)
    config.addinivalue_line(
        "markers",
        f"ca({limits}, warmup_steps=…, ignore=[…]): record the test, and fail it with the "
        "explanation if it goes beyond one of these limits.",
    )
    output = config.getoption("ca_output")
    if output is None or hasattr(config, "workerinput"):
        return
    from pathlib import Path

    folder = Path(output)
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise pytest.UsageError(f"--ca-output: {output} exists and is not an empty folder")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the records that nobody asked to keep."""
    recorder = config.stash.get(_RECORDER, None)
    if recorder is not None:
        recorder.close()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Give a test that is to be recorded its record, which is empty until it is called."""
    markers = list(item.iter_markers("ca"))
    used = "ca_record" in getattr(item, "fixturenames", ())
    if not (markers or used or item.config.getoption("ca")):
        return
    from ca_pytest.limits import MarkerError, settings_of
    from ca_pytest.recorder import SessionRecorder

    stash = item.config.stash
    if _RECORDER not in stash:
        stash[_RECORDER] = SessionRecorder(item.config.getoption("ca_output"))
    settings, mistake = None, ""
    try:
        settings = settings_of(markers) if markers else None
    except MarkerError as error:
        mistake = str(error)
    if mistake:  # not above, where pytest would print it twice, the one because of the other
        pytest.fail(mistake, pytrace=False)
    item.stash[_RECORD] = stash[_RECORDER].begin(item.nodeid, item.config.rootpath, settings)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Record the call: what a session's fixtures do would fall on whichever test is first."""
    record = item.stash.get(_RECORD, None)
    if record is None:
        return (yield)
    record.start()
    try:
        result = yield
    finally:
        record.stop()
        item.stash[_OUTCOME] = record.outcome()
    verdict = record.verdict()
    if verdict.warning:
        item.warn(pytest.PytestWarning(verdict.warning))
    if verdict.failure:
        pytest.fail(verdict.failure, pytrace=False)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Hand what was recorded to the report of the call."""
    report = yield
    if call.when == "call" and _OUTCOME in item.stash:
        setattr(report, ATTRIBUTE, item.stash[_OUTCOME])
    return report


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print what was captured, test by test. Runs where the terminal is: at xdist's controller."""
    outcomes = [
        (report.nodeid, outcome)
        for reports in terminalreporter.stats.values()
        for report in reports
        if (outcome := getattr(report, ATTRIBUTE, None)) is not None
    ]
    output = config.getoption("ca_output")
    if outcomes and (config.getoption("ca") or output):
        from ca_pytest.summary import write

        write(terminalreporter, outcomes, output)
    elif output:
        terminalreporter.write_line(
            "--ca-output: no test was recorded; --ca records all, @pytest.mark.ca one"
        )


@pytest.fixture
def ca_record(request: pytest.FixtureRequest) -> CaRecord:
    """Return what this test captured so far: ``captures``, ``recaptures``, ``findings`` and more.

    See ``ca_pytest.record.CaRecord``. Recording begins with the test function itself.
    """
    record: CaRecord = request.node.stash[_RECORD]
    return record
