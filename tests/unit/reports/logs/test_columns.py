"""Messages that were printed in columns are read as the lines that they were."""

from __future__ import annotations

from pathlib import Path

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.logs.columns import in_lines, is_in_columns

PASTED = Path(__file__).parents[3] / "fixtures" / "pasted" / "in_columns.txt"
MESSAGE = """\
Recompiling function scale in /srv/scale/serve.py:14
    triggered by the following guard failure(s):
    - 0/1: tensor 'x' size mismatch at index 0. expected 3, actual 4
    - 0/0: tensor 'x' size mismatch at index 0. expected 3, actual 4"""


def test_a_message_is_put_together_of_its_rows() -> None:
    text = PASTED.read_bytes()
    assert is_in_columns(text)
    assert in_lines(text).decode().endswith(MESSAGE)


def test_findings_are_those_of_the_lines(tmp_path: Path) -> None:
    lines = tmp_path / "lines.txt"
    lines.write_bytes(in_lines(PASTED.read_bytes()))
    read = [
        [(one.code, one.message, one.location) for one in analyze(run).diagnosis.findings]
        for run in (ca_reports.load([PASTED]), ca_reports.load([lines]))
    ]
    assert [code for code, _, _ in read[0]] == ["CA702", "CA102"]
    assert [(code, said) for code, said, _ in read[0]] == [
        (code, said) for code, said, _ in read[1]
    ]


def test_what_the_program_prints_between_is_kept() -> None:
    text = (
        b"step 1\n[11/28/26 15:19:50] INFO     a long                       trainer.py:3\n"
        b"                             message\nstep 2\n"
        b"                    WARNING  another one                  trainer.py:9"
    )
    assert in_lines(text) == b"step 1\na long\nmessage\nstep 2\nanother one"
    assert not is_in_columns(b"[11/28/26 15:19:50] INFO     a message without its place\n")
    assert not is_in_columns(b"INFO     module.py:3\n")


def test_a_word_that_is_longer_than_a_row_is_one() -> None:
    head = b"[11/28/26 15:19:50] INFO     "
    text = head + b"/srv/abcdefgh a.py:3\n" + b" " * len(head) + b"ijkl end\n"
    assert in_lines(text) == b"/srv/abcdefghijkl end"
