"""FxGraphCache between two processes: one compiles into it, the other takes from it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

import torch
from torch._guards import TracingContext, tracing
from torch._inductor import config
from torch._inductor.codecache import (
    FxGraphCache,
    FxGraphHashDetails,
    torch_key,
)
from torch._inductor.codegen.common import init_backend_registration
from torch._inductor.output_code import CompiledFxGraph, CompiledFxGraphConstants
from torch._inductor.runtime.cache_dir_utils import cache_dir
from torch._inductor.utils import clear_caches
from torch._inductor.virtualized import V
from torch._subclasses.fake_tensor import FakeTensorMode

_CACHE_DIR = "TORCHINDUCTOR_CACHE_DIR"


# What loading a compiled graph imports.
_IMPORTED_LATE = (
    "torch._inductor.codegen.memory_planning",
    "torch._inductor.hooks",
    "torch.utils.cpp_extension",
)


def import_all() -> None:
    """Imports what hashing settings and loading a compiled graph would import the first time."""
    init_backend_registration()
    for name in _IMPORTED_LATE:
        with suppress(ImportError):  # whatever it is, it will be said when it is needed
            import_module(name)


def cache_is_on(options: dict[str, Any]) -> bool:
    """Return whether what inductor compiles is kept in this machine's FxGraphCache."""
    with config.patch(options):
        return bool(config.fx_graph_cache and not config.force_disable_caches)


def cache_folder() -> str:
    return str(cache_dir())


def use_cache_folder(folder: str) -> None:
    """Keeps all that inductor compiles from now on in ``folder``."""
    if os.environ.get(_CACHE_DIR) != folder:
        os.environ[_CACHE_DIR] = folder
        clear_caches()


def hash_of_torch() -> bytes:
    """Hash torch's source files, as FxGraphCache's keys hold it; takes a third of a second."""
    key: bytes = torch_key()
    return key


def set_hash_of_torch(key: bytes) -> None:
    """Takes the hash from a process with the same torch, if it is not known yet."""
    prefetchable: Any = torch_key
    with suppress(RuntimeError):
        prefetchable.set(key)


def saved_settings(options: dict[str, Any]) -> bytes:
    """Inductor's settings with ``options``. Raises what pickle raises if one can't be sent."""
    with config.patch(options):
        return config.save_config()


def load_settings(saved: bytes) -> None:
    """Takes over another process's settings; compilers run here, one by one."""
    config.load_config(saved)
    config.compile_threads = 1


def settings_key(device: torch.device, options: dict[str, Any]) -> str:
    """Hash what FxGraphCache looks at beside a graph: settings, global state, versions, machine.

    ``device`` is the graph's.
    """
    with FakeTensorMode():
        example = torch.empty(1, device=device)
    with config.patch(options):
        details = vars(FxGraphHashDetails(None, [example], {}, []))
    # Not as FxGraphCache does it, by pickling: what is equal pickles differently where it shares
    # other objects than its like in the other process.
    names = sorted(details.keys() - {"gm", "example_inputs"})
    text = "\n".join(f"{name}: {details[name]!r}" for name in names)
    return hashlib.sha256(text.encode()).hexdigest()


def key_of(compiled: Callable[..., Any]) -> str | None:
    """The key under which FxGraphCache holds what inductor compiled, None if it does not."""
    return compiled._fx_graph_cache_key if isinstance(compiled, CompiledFxGraph) else None


def load_compiled(
    key: str, fakes: Sequence[torch.Tensor], fake_mode: FakeTensorMode, options: dict[str, Any]
) -> Callable[..., Any] | None:
    """Load the graph that FxGraphCache holds under ``key``; None if it is gone.

    It takes its inputs, which are like ``fakes``, in one list.
    """
    constants = CompiledFxGraphConstants()
    with config.patch(options), tracing(TracingContext(fake_mode)), V.set_fake_mode(fake_mode):
        compiled, _ = FxGraphCache.load_with_key(
            key,
            [],
            list(fakes),
            local=True,
            remote_cache=None,
            is_backward=False,
            constants=constants,
        )
        if compiled is None:
            return None
        compiled._fx_graph_cache_key = key
        compiled.post_compile(list(fakes), constants, compiled.fx_kwargs)
    return compiled
