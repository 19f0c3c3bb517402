"""Settings of the whole suite."""

from __future__ import annotations

import contextlib
import os
import sys

# Images for containers often set this. Then every worker would rewrite the tests' asserts, a third
# of what collecting takes, and every `ca` that a test starts would compile all of its modules.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

with contextlib.suppress(ModuleNotFoundError):  # `make gpu` does without
    from hypothesis import settings

    # A deadline fails on a busy machine. Examples are chosen by the code under test alone, so that
    # a failure belongs to the change it came with; `make fuzz` and this variable look for new ones.
    settings.register_profile(
        "suite", deadline=None, derandomize=os.environ.get("CA_TEST_RANDOM") != "1"
    )
    settings.load_profile("suite")
