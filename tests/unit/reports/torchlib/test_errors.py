"""Known exceptions: torch still has their words, and the settings that are advised."""

from __future__ import annotations

import inspect

import pytest
import torch
from torch._dynamo.backends import distributed
from torch._inductor import cudagraph_trees
from torch.fx.experimental import symbolic_shapes

from ca_reports.torchlib.errors import KNOWN, known_error


def test_torch_has_their_words() -> None:
    ddp, data, freed, overwritten = KNOWN
    assert inspect.isfunction(distributed.DDPOptimizer.compile_fn)
    assert ddp.words[0].startswith("backend='compile_fn'")
    assert data.words[0] in inspect.getsource(symbolic_shapes)
    source = inspect.getsource(cudagraph_trees).replace('"\n', "").replace('"', "")
    assert overwritten.words[0] in source
    assert "has been overwritten by" in source
    loss = torch.ones(3, requires_grad=True).exp().sum()
    loss.backward()
    with pytest.raises(RuntimeError, match=freed.words[0]):
        loss.backward()


def test_what_is_advised_exists() -> None:
    assert hasattr(torch._dynamo.config, "optimize_ddp")
    assert callable(torch.compiler.cudagraph_mark_step_begin)
    assert callable(torch._check)


def test_all_of_the_words_are_asked_for() -> None:
    text = "BackendCompilerFailed: backend='compile_fn' raised:\nAttributeError: 'float' object "
    assert known_error(text + "has no attribute 'meta'") is KNOWN[0]
    assert known_error(text + "has no attribute 'shape'") is None
