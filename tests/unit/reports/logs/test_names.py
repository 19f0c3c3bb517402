"""Names of files, and what they say."""

from __future__ import annotations

import pytest

from ca_reports.logs.names import is_log_name, rank_in_name, shown


@pytest.mark.parametrize(
    ("name", "is_log"),
    [
        ("dedicated_log_torch_trace_rank_0_x", True),
        ("train.log", True),
        ("train.log.3", True),
        ("train.log.gz", True),
        ("train.log.12.zst", True),
        ("train.log.txt", False),
        ("logbook.py", False),
    ],
)
def test_what_is_taken_for_a_log(name: str, is_log: bool) -> None:
    assert is_log_name(name) is is_log


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        ("dedicated_log_torch_trace_rank_3_abc.log", 3),
        ("job/rank-7/trace.log", None),
        ("rank12.log", 12),
        ("C:\\logs\\x.rank_4.log", 4),
        ("frank_4.log", None),
        ("rank_99999999.log", None),
    ],
)
def test_the_rank_that_torch_puts_into_it(name: str, rank: int | None) -> None:
    assert rank_in_name(name) == rank


def test_any_name_can_be_shown() -> None:
    assert shown("-") == "<stdin>"
    assert shown(b"caf\xe9.log".decode("utf-8", "surrogateescape")) == "caf\ufffd.log"
    assert "secret" not in shown("https://user:secret@example.org/a.log")
