"""What anyone may have written into a log is read within bounds."""

from __future__ import annotations

from ca_reports.logs import fields


def test_names_in_objects_are_cut_as_other_texts_are() -> None:
    long, cut = "N" * 1_000_000, "N" * fields.MAX_TEXT + "…"

    assert fields.versions({long: long, "torch": "2"}) == {cut: cut, "torch": "2"}
    assert fields.counts({long: 1}) == {cut: 1}
    assert fields.plain({long: {long: 1}}) == {cut: {cut: 1}}


def test_no_more_names_are_read_than_anyone_reads() -> None:
    many = range(100_000)

    assert len(fields.counts({str(number): 1 for number in many})) == fields.MAX_NAMED
    assert len(fields.versions({str(number): "1" for number in many})) == fields.MAX_NAMED
