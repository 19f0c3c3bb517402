"""Our own record of a capture."""

from __future__ import annotations

from dataclasses import fields

from ca_engine.schema import CaptureRecord
from ca_reports.run.recorded import RecordedCapture


def test_every_field_of_a_captures_record_is_read() -> None:
    elsewhere = {"schema_version", "id", "autograd_graph"}
    read = {each.name for each in fields(RecordedCapture)}

    assert read == CaptureRecord.__annotations__.keys() - elsewhere
