"""Without any one condition for exactness some test of lowering fails."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests import warm
from tests.engine.lowering.mutations import ENVIRONMENT_VARIABLE, MUTATIONS

HERE = Path(__file__).parent


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", MUTATIONS)
def test_a_condition_that_is_taken_away_is_missed(name: str) -> None:
    missed_by = MUTATIONS[name]
    done = warm.python().run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-x", "-m", missed_by.marks),
            *("-p", "no:cacheprovider", "-p", "tests.engine.lowering.mutations"),
            *(str(HERE / missed_by.file), "-k", missed_by.tests),
        ],
        cwd=HERE.parents[2],
        env={**os.environ, ENVIRONMENT_VARIABLE: name},
        timeout=500,
    )
    assert done.returncode == 1, done.stdout[-3000:]
    assert " failed" in done.stdout
