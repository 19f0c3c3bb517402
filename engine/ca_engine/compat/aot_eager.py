"""Names the compiler of inference graphs of the backend ``aot_eager``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import fx


def aot_eager_compile(graph: fx.Graph, fakes: list[torch.Tensor]) -> Callable[..., Any]:
    """Compile an ATen graph with backend ``aot_eager``; the result takes its inputs in one list."""
    # Not at the top: see `torch_compile.known_backend`.
    from torch._dynamo.backends.debugging import boxed_nop

    # Not made with its graph: it would write code, and write it again for inputs in a list.
    module = fx.GraphModule(torch.nn.Module(), fx.Graph())
    module._graph = graph
    compiled: Callable[..., Any] = boxed_nop(module, fakes)
    return compiled
