"""What FxGraphCache says of a graph is told to the thread that compiles it, and to no other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from torch import fx
from torch._inductor import config
from torch._inductor.codecache import FxGraphCache

from ca_engine.lowering.backends import CacheUse, noting_cache

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
