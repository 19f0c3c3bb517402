"""Garbage collection while a log is read."""

from __future__ import annotations

import contextlib
import gc

import pytest

from ca_reports.run.gather.collector import gc_paused


@pytest.mark.parametrize("searches", [True, False])
def test_it_pauses_and_goes_on_as_it_was(searches: bool) -> None:
    was = gc.isenabled()
    try:
        (gc.enable if searches else gc.disable)()
        with contextlib.suppress(ValueError), gc_paused():
            assert not gc.isenabled()
            raise ValueError("torn")
        assert gc.isenabled() is searches
    finally:
        (gc.enable if was else gc.disable)()
