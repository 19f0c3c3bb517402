"""Recognises the backend of a compiler function by what it returned.

``compiler_fn`` is opaque: ``torch.compile``, a partial or a lambda around it, Dynamo's own for
``torch._dynamo.config.compiled_autograd``. So it is called, and what it returns is looked at: if
that is the captured module inside a plain ``torch.compile`` wrapper with a backend that is known by
identity, we know what Dynamo would do. Anything else is the user's own, and is called as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from torch import fx

from ca_engine.compat import torch_compile
from ca_engine.lowering.refusal import RefusalError

Backend = Literal["eager", "aot_eager", "inductor"]


@dataclass(frozen=True)
class KnownCompiler:
    """A ``torch.compile`` that lowering can stand for.

    ``call`` is the backend as Dynamo calls it, with a graph module and its inputs;
    ``fullgraph`` whether a graph break is an error; ``options`` inductor's settings and
    ``region_name`` its name for what it compiles.
    """

    backend: Backend
    call: Callable[..., Any]
    fullgraph: bool
    dynamic: bool | None
    options: dict[str, Any]
    region_name: str | None


def recognise(module: fx.GraphModule, compiled: object) -> KnownCompiler:
    """Recognise a wrapper of ``module`` by a known compiler. Raises `RefusalError` otherwise."""
    found = torch_compile.compile_wrapper(compiled)
    if found is None or found.module is not module:
        raise RefusalError("unknown_compiler", type(compiled).__name__)
    if found.unusual is not None:
        raise RefusalError("compiler_option", found.unusual)
    backend = torch_compile.known_backend(found.backend)
    if backend is None:
        raise RefusalError("unknown_backend", found.backend_name)
    if torch_compile.has_hooks(module) or torch_compile.has_hooks(compiled):
        raise RefusalError("compiler_option", "forward hooks on the compiled module")
    return KnownCompiler(
        backend,
        found.backend,
        found.fullgraph,
        found.dynamic,
        torch_compile.options(found.backend),
        getattr(found.backend, "name", None),
    )
