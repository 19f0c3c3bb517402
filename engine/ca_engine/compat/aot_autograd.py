"""AOTAutograd and its backends, called as Dynamo calls them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._dynamo import compiled_autograd as torch_engine
from torch._dynamo.utils import GmWrapper
from torch._functorch import config as functorch_config
from torch._guards import TracingContext, tracing

from ca_engine.compat.tracing import new_fake_mode


def compile_function(
    backend: Callable[..., Any],
    forward: Callable[[list[torch.Tensor]], Any],
    inputs: Sequence[torch.Tensor],
) -> Callable[[list[torch.Tensor]], Sequence[Any]]:
    """Compile ``forward`` with ``backend``, traced with tensors like ``inputs``.

    Takes its inputs in one list, which it empties, as the one that Dynamo calls for a graph whose
    only input is a list. AOTAutograd's cache is off: it wants a graph, not a function.
    """
    fake_mode = new_fake_mode()
    fakes = [fake_mode.from_tensor(each) for each in inputs]
    module: Any = forward
    with (
        tracing(TracingContext(fake_mode)),
        functorch_config.patch(enable_autograd_cache=False),
        torch_engine._disable(),
    ):
        compiled: Callable[..., Any] = backend(GmWrapper(module, lambda flat: (flat,)), fakes)
    return compiled
