"""Inductor's settings, each looked up in torch."""

from __future__ import annotations

import pytest

from ca_reports.torchlib import inductor

torch = pytest.importorskip("torch")


@pytest.mark.parametrize(("mode", "settings"), inductor.MODES.items())
def test_what_a_mode_stands_for(mode: str, settings: frozenset[str]) -> None:
    assert set(torch._inductor.list_mode_options(mode)) == settings


@pytest.mark.parametrize("name", inductor.PASSES)
def test_passes_are_settings(name: str) -> None:
    import torch._inductor.config as config

    assert hasattr(config, name)


@pytest.mark.parametrize("name", [*inductor.FREEZING, *inductor.CACHES])
def test_settings_are_torchs(name: str) -> None:
    import torch._functorch.config as functorch
    import torch._inductor.config as config

    homes = (config, config.aot_inductor, functorch, torch.compiler.config)
    assert any(hasattr(home, name) for home in homes)
