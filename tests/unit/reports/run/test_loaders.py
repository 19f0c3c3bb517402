"""What a recorded loader gives."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ca_reports.run.held import RecordedGuards
from tests.unit.reports.causes.rules.recompiled import compiled, explained, held_number


@pytest.mark.parametrize(("samples", "code"), [(50, "CA101"), (None, "CA701"), (48, "CA701")])
def test_a_count_of_samples_is_of_the_short_last_batch_that_a_loader_gives(
    samples: int | None, code: str
) -> None:
    # GIVEN an int that is the size of a loader's batches, and then 2: as 50 samples have it
    loader = {
        "id": 1, "variable": "loader", "file": "train.py", "line": 9,
        "batch_size": 16, "drop_last": False, "samples": samples,
    }  # fmt: skip
    again = compiled(1, "batch_size == 16")
    guards = [{"failed": "0/0", "source": "batch_size", "held": held_number(2)}]
    held = RecordedGuards.from_record({"guards": guards, "loaders": [loader]})

    (found,) = explained(compiled(0), replace(again, held=held)).diagnosis.findings

    assert found.code == code
    assert ("(50 samples in batches of 16)" in found.message) == (code == "CA101")
