"""Lists and clears compiled autograd's cache: torch never evicts a captured graph."""

from __future__ import annotations

from dataclasses import dataclass

from ca_engine.compat import compiled_autograd
from ca_engine.runtime import RuntimeWrapper

# Measured with torch 2.13.0 on Python 3.11: growth of resident memory over the captures of
# MLPs of 1 to 60 layers (42,810 FX nodes), without compiling them.
BYTES_PER_FX_NODE = 2_100


@dataclass(frozen=True)
class CachedCapture:
    """One captured graph in the cache.

    ``id`` is the ``3`` of ``!3``; ``hits`` counts the backwards that used it after the one
    that captured it; ``estimated_bytes`` is of the graph and its Python code, without what
    the backend compiled from it.
    """

    id: int
    fx_nodes: int
    hits: int
    estimated_bytes: int


@dataclass(frozen=True)
class CacheInfo:
    """The captures of our engine that are in the cache, oldest first."""

    captures: tuple[CachedCapture, ...]

    @property
    def hits(self) -> int:
        return sum(capture.hits for capture in self.captures)

    @property
    def estimated_bytes(self) -> int:
        return sum(capture.estimated_bytes for capture in self.captures)


def cache_info() -> CacheInfo:
    """Return the cache as it is now. Captures of torch's own engine are not in it."""
    return CacheInfo(
        tuple(
            CachedCapture(
                id=wrapper.capture_id,
                fx_nodes=wrapper.fx_nodes,
                hits=max(wrapper.runs - 1, 0),
                estimated_bytes=wrapper.fx_nodes * BYTES_PER_FX_NODE,
            )
            for wrapper in RuntimeWrapper.in_cache.values()
        )
    )


def clear_cache() -> None:
    """Forgets and frees all captured graphs; the next backward of each is captured again.

    Unlike ``reset()`` it leaves compiled autograd switched on. Must not be called from within
    a compiled backward: raises RuntimeError there.
    """
    compiled_autograd.clear_cache()
    RuntimeWrapper.forget_all()
