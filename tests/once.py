"""What takes long to make and is only looked at: once for all workers of a test session."""

from __future__ import annotations

import fcntl
import os
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest


def of_session(factory: pytest.TempPathFactory, name: str) -> Path:
    """Return where `name` is of this test session, the same for all its workers."""
    base = factory.getbasetemp()
    # A worker's folder is in that of the session.
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / f"once-{name}"


def made_once(folder: Path, make: Callable[[Path], object]) -> Path:
    """Return `folder` as `make` has filled it: for the first who asks, while others wait.

    `make` gets the empty folder. Where it raises, the next one tries again. What a test changes
    it changes in a copy.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    done = folder.with_name(f"{folder.name}.done")
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # until the file is closed
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            done.touch()
    return folder
