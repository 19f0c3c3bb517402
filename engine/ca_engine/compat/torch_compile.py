"""Takes apart what ``torch.compile`` returned, and tells whether it compiles."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch._dynamo import eval_frame
from torch._dynamo.eval_frame import OptimizeContext, OptimizedModule, innermost_backend
from torch._dynamo.hooks import Hooks


@dataclass(frozen=True)
class CompileWrapper:
    """Parts of what ``torch.compile(module, …)`` returned.

    ``unusual`` names the first setting under which Dynamo does more than compile the module.
    """

    module: object
    backend: Callable[..., Any]
    backend_name: str
    fullgraph: bool
    dynamic: bool | None
    unusual: str | None


def compile_wrapper(compiled: object) -> CompileWrapper | None:
    """Return ``compiled`` taken apart, None if Dynamo did not make it from a module."""
    if type(compiled) is not OptimizedModule:
        return None
    context = compiled.dynamo_ctx
    if type(context) is not OptimizeContext:
        return None
    backend = innermost_backend(context.callback)  # type: ignore[arg-type]
    name = getattr(backend, "compiler_name", None) or getattr(backend, "__name__", None)
    return CompileWrapper(
        compiled._orig_mod,
        backend,
        str(name or type(backend).__name__),
        bool(context.fullgraph or context.error_on_graph_break),
        context._dynamic,
        _unusual(context, backend),
    )


def _unusual(context: OptimizeContext, backend: Any) -> str | None:
    if context._hooks not in (None, Hooks(None, None, None)):
        return "guard hooks"
    if context._backend_ctx_ctor not in (nullcontext, eval_frame.null_context):
        return "a context around the backend"
    for setting in ("export", "_package", "_shapes_spec"):
        if getattr(context, setting, None):
            return setting.strip("_")
    if torch._dynamo.config.repro_after:
        return "torch._dynamo.config.repro_after"
    if getattr(backend, "kwargs", None):
        return "options for the backend"
    return None


def known_backend(backend: object) -> Literal["eager", "aot_eager", "inductor"] | None:
    """Return the name of a backend of torch's own, known by identity."""
    # Not at the top: it imports functorch and Inductor, and the engine is installed while torch
    # imports Dynamo, which Inductor may have asked for.
    from torch._dynamo.backends.debugging import aot_eager, eager

    if type(backend) is torch._TorchCompileInductorWrapper:
        return "inductor"
    if type(backend) is torch._TorchCompileWrapper:
        backend = backend.compiler_fn
    if backend is eager:
        return "eager"
    if backend is aot_eager:
        return "aot_eager"
    return None


def options(backend: object) -> dict[str, Any]:
    """Inductor's settings that came with ``torch.compile(mode=…, options=…)``."""
    return dict(getattr(backend, "config", {}))


def has_hooks(module: Any) -> bool:
    """Return whether calling ``module`` runs forward hooks."""
    return bool(module._forward_hooks or module._forward_pre_hooks)


def stance_is_default() -> bool:
    """Return whether no ``torch.compiler.set_stance`` changes what compiled code does."""
    return eval_frame._stance.stance == "default"
