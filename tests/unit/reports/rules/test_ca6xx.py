"""The rules about hazards, on models made by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ca_reports.model import (
    Capture,
)
from tests.unit.reports.rules.backward_breaks import CALL, FIRST, end, findings, hazard, the_one


@pytest.mark.parametrize(("now", "severity"), [(True, "error"), (False, "warning")])
def test_anomaly_mode_that_was_switched(now: bool, severity: str) -> None:
    found = hazard("anomaly", capture=0, then=not now, now=now)
    finding = the_one(findings(hazards=(found,)))

    assert (finding.code, finding.severity, finding.count) == ("CA601", severity, 6)
    assert (finding.evidence[0].file, finding.evidence[0].line) == ("log", 50)


def test_another_autocast_names_both() -> None:
    found = hazard("autocast", capture=0, then={}, now={"cuda": "float16"}, option="off")
    finding = the_one(findings(hazards=(found,)))

    assert (finding.code, finding.severity, finding.location) == ("CA602", "error", CALL)
    assert "runs under autocast cuda float16" in finding.message
    assert finding.message.endswith("for a backward without autocast")
    assert '[{"device_type": "cuda"}]' in finding.fix


def test_the_option_for_another_autocast_has_its_dtype() -> None:
    found = hazard("autocast", capture=0, then={"cpu": "bfloat16"}, now={"cuda": "bfloat16"})
    finding = the_one(findings(hazards=(found,)))

    assert finding.message.endswith("for a backward under autocast cpu bfloat16")
    assert '[{"device_type": "cuda", "dtype": torch.bfloat16}]' in finding.fix


@pytest.mark.parametrize(("captures", "severity"), [((), "warning"), ((FIRST,), "info")])
def test_backwards_that_were_not_captured(captures: tuple[Capture, ...], severity: str) -> None:
    finding = the_one(findings(captures=captures, hazards=(hazard("not_captured"),)))

    assert (finding.code, finding.severity, finding.count) == ("CA604", severity, 6)


@pytest.mark.parametrize(
    ("counters", "expected"),
    [
        ({"miss": 1, "bypass": 1}, ["CA605"]),
        ({"miss": 1, "bypass": 1, "saved": 1}, []),
        ({"hit": 3}, []),
        ({}, []),
    ],
)
def test_the_cache_that_keeps_nothing(counters: dict[str, int], expected: list[str]) -> None:
    ended = replace(end("", CALL), error=None, error_text=None, aot_cache=counters)
    assert [finding.code for finding in findings(end=ended)] == expected
