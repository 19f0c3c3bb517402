"""Our engine and recorder in torch for the time of one test."""

from __future__ import annotations

import sys
import warnings
from contextlib import ExitStack
from typing import TYPE_CHECKING

from ca_engine import steps
from ca_engine.boot import ImportHook

if TYPE_CHECKING:
    from pathlib import Path

_DYNAMO = "torch._dynamo"


class RecordedTest:
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
        """Write what is not written yet, to be read while the test goes on."""
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
