"""Settings of the whole suite."""

from __future__ import annotations

import contextlib
import gc
import os
import stat
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from tests.warm.server import look_rarely_at_objects

if TYPE_CHECKING:
    import pytest

# Images for containers often set this. Then every worker would rewrite the tests' asserts, a third
# of what collecting takes, and every `ca` that a test starts would compile all of its modules.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# What is imported and collected stays until the end: to look for cycles in it takes as long as
# the rest of collecting. `pytest_collection_finish` says what is looked at then.
gc.disable()

with contextlib.suppress(ModuleNotFoundError):  # `make gpu` does without
    from hypothesis import settings

    # A deadline fails on a busy machine. Examples are chosen by the code under test alone, so that
    # a failure belongs to the change it came with; `make fuzz` and this variable look for new ones.
    settings.register_profile(
        "suite", deadline=None, derandomize=os.environ.get("CA_TEST_RANDOM") != "1"
    )
    settings.load_profile("suite")


def _is_device() -> bool:
    null = Path(os.devnull)
    return not null.exists() or stat.S_ISCHR(null.stat().st_mode)


_was_device = _is_device()


def pytest_collection_finish() -> None:
    """Keep what was imported and collected out of the garbage collector's walks.

    It is 900,000 objects that stay until the end: 0.6 s for each full collection.
    """
    look_rarely_at_objects()
    gc.enable()


def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Say which test ran when the null device became a file, which root can rename one over."""
    global _was_device
    if _was_device and not _is_device():
        _was_device = False
        warnings.warn(f"{os.devnull} is a regular file since {item.nodeid}", stacklevel=1)
