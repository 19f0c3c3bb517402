"""What backends do with a lowered graph."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
import torch
from torch import fx, nn
from torch._inductor import config
from torch._inductor.codecache import FxGraphCache

from ca_engine.lowering.backends import CacheUse, Inductor, noting_cache
from ca_engine.lowering.recognise import recognise

pytestmark = pytest.mark.usefixtures("accumulation_is_bound")


def test_templates_of_inductor_are_those_of_its_settings() -> None:
    module = fx.GraphModule(nn.Module(), fx.Graph())
    compiler = recognise(module, torch.compile(module))
    backend = Inductor()
    templates = backend.templates(compiler)
    assert backend.templates(compiler) is templates
    with config.patch(fallback_random=not config.fallback_random):
        assert backend.templates(compiler) is not templates


PATIENCE = 60.0


def ask() -> None:
    """FxGraphCache takes no graph while a pass is set that does not say what it depends on."""
    with config.patch(post_grad_custom_post_pass=lambda _: None):
        FxGraphCache.prepare_key(fx.GraphModule({}, fx.Graph()), [], {}, [], False)


@pytest.mark.parametrize("asks_first", [True, False])
def test_two_threads_that_overlap(asks_first: bool) -> None:
    stock = FxGraphCache.prepare_key, FxGraphCache.load_with_key
    both_listen, first_is_done = Event(), Event()

    def first() -> CacheUse:
        with noting_cache("inductor") as found:
            assert both_listen.wait(PATIENCE)
            if asks_first:
                ask()
        first_is_done.set()
        return found

    def second() -> CacheUse:
        with noting_cache("inductor") as found:
            both_listen.set()
            assert first_is_done.wait(PATIENCE)
            if not asks_first:
                ask()
        return found

    with ThreadPoolExecutor(2) as pool:
        told, not_told = (one.result(PATIENCE) for one in (pool.submit(first), pool.submit(second)))
    if not asks_first:
        told, not_told = not_told, told
    assert told.use == "bypass"
    assert told.reason is not None
    assert "custom pass" in told.reason
    assert not_told == CacheUse()
    assert (FxGraphCache.prepare_key, FxGraphCache.load_with_key) == stock


def test_a_thread_within_which_nobody_listens_is_not_told() -> None:
    with noting_cache("inductor") as found, ThreadPoolExecutor(1) as pool:
        pool.submit(ask).result(PATIENCE)
    assert found == CacheUse()
