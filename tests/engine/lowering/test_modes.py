"""Whether graphs are lowered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from torch import nn

import ca_engine
from ca_engine.lowering import modes
from ca_engine.lowering.modes import Mode
from tests.engine.lowering.eagerly import backward_of, compile_eager


def test_the_environment_asks_for_a_whole_process(
    recorded: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CA_LOWERING", "1")
    (record,) = recorded(lambda: backward_of(nn.Linear(3, 2)))
    assert record["way"] == "direct"


@pytest.fixture
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CA_LOWERING", raising=False)


@pytest.mark.usefixtures("no_environment")
def test_it_is_on_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    with ca_engine.enable(compile_eager):
        assert modes.current() is Mode.ON
        with ca_engine.enable(compile_eager, lowering=False):
            assert modes.current() is Mode.OFF
    ca_engine.uninstall()
    with ca_engine.install():
        assert modes.current() is Mode.ON
    with ca_engine.install(lowering=False), ca_engine.enable(compile_eager):
        assert modes.current() is Mode.OFF
    monkeypatch.setenv("CA_LOWERING", "0")
    with ca_engine.install(), ca_engine.enable(compile_eager):
        assert modes.current() is Mode.OFF


@pytest.mark.usefixtures("no_environment")
def test_what_is_measured_is_lowered_only_if_asked_for(tmp_path: Path) -> None:
    with ca_engine.record(tmp_path), ca_engine.enable(compile_eager):
        assert modes.current() is Mode.OFF
    with ca_engine.record(tmp_path), ca_engine.enable(compile_eager, lowering=True):
        assert modes.current() is Mode.ON


@pytest.mark.usefixtures("no_environment")
def test_with_an_unproven_torch_it_is_off_by_default(
    monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    monkeypatch.setattr(modes, "PROVEN_WITH", frozenset())
    with ca_engine.enable(compile_eager):
        assert modes.current() is Mode.OFF
    assert not [each for each in recwarn if "lowering" in str(each.message)]


def test_an_unknown_mode_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CA_LOWERING", "fast")
    with pytest.warns(UserWarning, match="CA_LOWERING=fast is unknown"):
        assert modes.asked_for(None) is Mode.OFF


def test_with_an_unproven_torch_it_stays_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(modes, "PROVEN_WITH", frozenset())
    with pytest.warns(UserWarning, match="lowering is untested"), modes.switched(Mode.ON):
        assert modes.current() is Mode.OFF
