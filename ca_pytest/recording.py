"""Records one test at a time, each into a folder of its own."""

from __future__ import annotations

import itertools
import re
import shutil
import sys
import tempfile
import warnings
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from ca_engine import steps
from ca_engine.boot import ImportHook
from ca_pytest.record import CaRecord

if TYPE_CHECKING:
    from ca_reports.gates.config import Settings

_DYNAMO = "torch._dynamo"
_LONGEST_NAME = 120


class Recorder:
    """Gives each test its record. One for a session, and for each worker of xdist."""

    def __init__(self, output: str | None) -> None:
        """Records are kept in ``output``; without one they go when the session ends."""
        self._temporary = output is None
        self._folder = Path(tempfile.mkdtemp(prefix="ca-pytest-") if output is None else output)
        self._keep = not self._temporary

    def begin(self, nodeid: str, rootpath: Path, settings: Settings | None) -> CaRecord:
        """The record of a test, not started yet."""
        recording = Recording(_unused(self._folder, nodeid))
        return CaRecord(recording, rootpath, settings, keep=self._keep)

    def close(self) -> None:
        """Removes what is not to be kept."""
        if self._temporary:
            shutil.rmtree(self._folder, ignore_errors=True)


class Recording:
    """Our engine and recorder in torch, from `start` to `stop`; the trace is in ``folder``.

    Where a test imports torch._dynamo itself, the recording begins right after that import; a
    test that never does costs nothing and leaves no folder.
    """

    def __init__(self, folder: Path) -> None:
        """Nothing happens yet."""
        self.folder = folder
        self._hook: ImportHook | None = None
        self._stack = ExitStack()

    def start(self) -> None:
        """From here on."""
        steps.forget()
        if _DYNAMO in sys.modules:
            self._begin()
        else:
            self._hook = ImportHook(_DYNAMO, self._begin_in_import)
            sys.meta_path.insert(0, self._hook)

    def settle(self) -> None:
        """Writes what is not written yet, to be read while the test goes on."""
        installation = sys.modules.get("ca_engine.installation")
        if installation is not None:
            installation.settle()

    def stop(self) -> None:
        """Up to here. Torch has its own engine back."""
        if self._hook is not None and self._hook in sys.meta_path:
            sys.meta_path.remove(self._hook)
        self._stack.close()

    def _begin(self) -> None:
        import ca_engine
        from ca_engine import trace

        # What an earlier test captured would hit here, and hide that this one recaptures.
        ca_engine.clear_cache()
        # pytest collects what any logger says, and would print the trace of a failing test.
        self._stack.enter_context(trace.without_others())
        self._stack.enter_context(ca_engine.record(self.folder))

    def _begin_in_import(self) -> None:
        try:
            self._begin()
        except Exception as error:
            # The import is the user's and went well.
            warnings.warn(f"ca cannot record this test: {error!r}", stacklevel=2)


def _unused(folder: Path, nodeid: str) -> Path:
    """A folder named after the test; with a number where a test runs more than once."""
    name = re.sub(r"[^\w.\[\]=-]+", "-", nodeid.replace("::", ".")).strip("-.")[-_LONGEST_NAME:]
    for number in itertools.count(1):
        candidate = folder / (name if number == 1 else f"{name}-{number}")
        if not candidate.exists():
            return candidate
    raise AssertionError
