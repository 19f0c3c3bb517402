"""Obtains the graphs that AOTAutograd hands to its backends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from torch import fx
from torch._functorch import config as functorch_config


@contextmanager
def noting_graphs(
    backend: Literal["aot_eager", "inductor"], note: Callable[[fx.Graph], None]
) -> Iterator[None]:
    """Give ``note`` each graph that AOTAutograd hands to ``backend`` within.

    AOTAutograd's cache is off meanwhile: where it hits there is no graph to be seen.
    """
    owner: Any
    if backend == "aot_eager":
        # Not at the top: see `torch_compile.known_backend`.
        from torch._dynamo.backends import debugging as owner

        name = "boxed_nop"
    else:
        from torch._inductor import compile_fx as owner

        name = "compile_fx_forward"
    stock = getattr(owner, name)

    def noting(module: fx.GraphModule, *args: Any, **kwargs: Any) -> Any:
        note(module.graph)
        return stock(module, *args, **kwargs)

    setattr(owner, name, noting)
    try:
        with functorch_config.patch(enable_autograd_cache=False):
            yield
    finally:
        setattr(owner, name, stock)
