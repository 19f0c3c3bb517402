"""A piece of a file that is looked through ahead of its reader."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.reports.run.gather.pieces import SIZE, read, records, with_helpers

if TYPE_CHECKING:
    from pathlib import Path


def test_only_the_records_of_most_pieces_are_read(
    tmp_path: Path, looked_through: list[int]
) -> None:
    data = b"".join(records(captures=40))
    found = with_helpers(data, tmp_path)
    assert found.damage == ()
    assert len(found.processes[0].captures) == 40
    assert sum(looked_through) > len(data) - 4 * SIZE


def test_a_piece_with_damage_is_read(tmp_path: Path, looked_through: list[int]) -> None:
    log = records(captures=40)
    middle = len(log) // 2
    log.insert(middle, b"a line of the program\n")
    found = with_helpers(b"".join(log), tmp_path)
    assert [entry.kind for entry in found.damage] == ["not_a_record"]
    assert found.damage[0].line == 1 + b"".join(log[:middle]).count(b"\n")
    assert len(looked_through) > 10


@pytest.mark.long
def test_a_line_that_is_payload_to_what_stands_before_it_is_no_record(tmp_path: Path) -> None:
    """A torn record makes a prefix of lines to come, which may look whole by themselves."""
    log = records(captures=40)
    head = b'V1121 06:19:00.425000 4711 torch/_dynamo/utils.py:2350] {"str": '
    whole = next(record for record in log if b"ca_backwards" in record)
    line, _, _ = whole.partition(b"\n")
    fake = head + b"\t" + b'["a.py", 1]}\n'
    for at in range(3, 39):
        changed = log.copy()
        changed.insert(len(log) * at // 40, head + line + b"\n" + fake * 60)
        data = b"".join(changed)
        assert with_helpers(data, tmp_path) == read(data, tmp_path)
