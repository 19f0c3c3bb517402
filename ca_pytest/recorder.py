"""Records one test at a time, each into a new folder."""

from __future__ import annotations

import itertools
import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ca_pytest.record import CaRecord
from ca_pytest.recording import RecordedTest

if TYPE_CHECKING:
    from ca_reports.gates.config import GateSettings

_LONGEST_NAME = 120


class SessionRecorder:
    """Gives each test its record. One for a session, and for each worker of xdist."""

    def __init__(self, output: str | None) -> None:
        """Keep records in ``output``; without one they go when the session ends."""
        self._temporary = output is None
        self._folder = Path(tempfile.mkdtemp(prefix="ca-pytest-") if output is None else output)
        self._keep = not self._temporary

    def begin(self, nodeid: str, rootpath: Path, settings: GateSettings | None) -> CaRecord:
        """Return the record of a test, not started yet."""
        recording = RecordedTest(_unused(self._folder, nodeid))
        return CaRecord(recording, rootpath, settings, keep=self._keep)

    def close(self) -> None:
        """Remove what is not to be kept."""
        if self._temporary:
            shutil.rmtree(self._folder, ignore_errors=True)


def _unused(folder: Path, nodeid: str) -> Path:
    """Return a folder named after the test; with a number where a test runs more than once."""
    name = re.sub(r"[^\w.\[\]=-]+", "-", nodeid.replace("::", ".")).strip("-.")[-_LONGEST_NAME:]
    for number in itertools.count(1):
        candidate = folder / (name if number == 1 else f"{name}-{number}")
        if not candidate.exists():
            return candidate
    raise AssertionError
