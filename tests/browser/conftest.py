"""One Chromium for all browser tests, skipped with its reason where there is none."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import html
from tests.browser.chromium import CHROMIUM, browser

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.unit.logwriter import LogWriter


@pytest.fixture(scope="session")
def started() -> Iterator[Any]:
    if importlib.util.find_spec("playwright") is None:
        pytest.skip("playwright is not installed: pip install -e '.[dev]'")
    if not Path(CHROMIUM).exists():
        pytest.skip("no Chromium: apt-get install chromium, or CA_CHROMIUM=/path/to/chromium")
    with browser() as found:
        yield found


@pytest.fixture
def chromium(started: Any) -> Iterator[Any]:
    """Yield the browser; what a test has opened is closed after it.

    A page that stays open takes a twentieth of a core, for as long as the session lasts.
    """
    yield started
    for context in started.contexts:
        context.close()


def write_report(log: LogWriter, folder: Path) -> Path:
    """The report of ``log`` as a file, as ``ca report`` writes it."""
    page = folder / "report.html"
    page.write_text(
        html.render(analyze(ca_reports.load([log.write(folder / "trace.log")]))), "utf-8"
    )
    return page
