"""FxGraphCache between two processes: one compiles into it, the other takes from it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from torch import fx
from torch._dynamo.utils import dynamo_timed
from torch._functorch import config as functorch_config
from torch._guards import TracingContext, tracing
from torch._inductor import config
from torch._inductor.codecache import (
    BypassFxGraphCache,
    FxGraphCache,
    FxGraphHashDetails,
    torch_key,
    write_atomic,
)
from torch._inductor.codegen.common import init_backend_registration
from torch._inductor.output_code import CompiledFxGraph, CompiledFxGraphConstants
from torch._inductor.runtime.cache_dir_utils import cache_dir
from torch._inductor.utils import clear_caches
from torch._inductor.virtualized import V
from torch._logging._internal import trace_structured
from torch._subclasses.fake_tensor import FakeTensorMode

from ca_engine.compat import versions

_CACHE_DIR = "TORCHINDUCTOR_CACHE_DIR"


# What loading a compiled graph imports.
_IMPORTED_LATE = (
    "torch._inductor.codegen.memory_planning",
    "torch._inductor.hooks",
    "torch.utils.cpp_extension",
)


def import_all() -> None:
    """Import what hashing settings and loading a compiled graph would import the first time."""
    init_backend_registration()
    for name in _IMPORTED_LATE:
        with suppress(ImportError):  # whatever it is, it will be said when it is needed
            import_module(name)


def cache_is_on(options: dict[str, Any]) -> bool:
    """Return whether what inductor compiles is kept in this machine's FxGraphCache."""
    with config.patch(options):
        return bool(config.fx_graph_cache and not config.force_disable_caches)


def measures_kernels(options: dict[str, Any]) -> bool:
    """Return whether inductor runs kernels while it compiles, to choose the fastest."""
    with config.patch(options):
        return bool(
            config.max_autotune or config.max_autotune_gemm or config.max_autotune_pointwise
        )


def takes_graphs(fake_mode: FakeTensorMode, options: dict[str, Any]) -> bool:
    """Return whether a graph may be found in the cache as it is before inductor's passes.

    As AOTAutogradCache, which that one stands for: not while that is off, and not with a pass of
    the program's own that does not say what it depends on.
    """
    if not cache_is_on(options) or not functorch_config.enable_autograd_cache:
        return False
    with config.patch(options), tracing(TracingContext(fake_mode)):
        if getattr(config, "cudagraph_policy", None) is not None:
            return False
        try:
            FxGraphCache._check_can_cache(fx.GraphModule({}, fx.Graph()))
        except BypassFxGraphCache:
            return False
    return True


def holds(key: str) -> bool:
    """Return whether FxGraphCache has entries under ``key``."""
    return bool(key) and Path(FxGraphCache._get_tmp_dir_for_key(key)).is_dir()


def write_whole(file: Path, text: str) -> None:
    """Write ``file``, with its folders, so that nobody sees a part of it. Raises OSError."""
    write_atomic(str(file), text, make_dirs=True)


def cache_folder() -> str:
    return str(cache_dir())


def use_cache_folder(folder: str) -> None:
    """Keep all that inductor compiles from now on in ``folder``."""
    if os.environ.get(_CACHE_DIR) != folder:
        os.environ[_CACHE_DIR] = folder
        clear_caches()


def hash_torch() -> None:
    """Hashes torch's source files, once in a process, for FxGraphCache's keys.

    Takes a third of a second.
    """
    torch_key()


def saved_settings(options: dict[str, Any]) -> bytes:
    """Inductor's settings with ``options``. Raises what pickle raises if one can't be sent."""
    with config.patch(options):
        return config.save_config()


def load_settings(saved: bytes, *, alone: bool = True) -> None:
    """Take over another process's settings; ``alone``, compilers run here, one by one."""
    config.load_config(saved)
    if alone:
        config.compile_threads = 1


@contextmanager
def one_at_a_time(key: str | None) -> Iterator[None]:
    """Within is one process of all that use this cache folder, for the same ``key``."""
    with ExitStack() as stack:
        # Another system, or a folder that knows no locks: each compiles for itself.
        with suppress(ImportError, OSError):
            import fcntl

            if key is not None:
                file = Path(cache_folder(), "ca_lowering", "locks", key)
                file.parent.mkdir(parents=True, exist_ok=True)
                opened = stack.enter_context(file.open("w"))
                fcntl.flock(opened, fcntl.LOCK_EX)
        yield


def saved_functorch_settings() -> bytes:
    """AOTAutograd's settings. Raises what pickle raises if one can't be sent."""
    return functorch_config.save_config()


def load_functorch_settings(saved: bytes) -> None:
    functorch_config.load_config(saved)


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
    """Return the key under which FxGraphCache holds what inductor compiled, None if it does not."""
    return compiled._fx_graph_cache_key if isinstance(compiled, CompiledFxGraph) else None


def load_compiled(
    key: str,
    fakes: Sequence[torch.Tensor],
    fake_mode: FakeTensorMode,
    options: dict[str, Any],
    region_name: str | None,
) -> Callable[..., Any] | None:
    """Load the graph that FxGraphCache holds under ``key``; None if it is gone.

    It takes its inputs, which are like ``fakes``, in one list.
    """
    compiled, _ = _load(key, fakes, fake_mode, options, region_name)
    return compiled


def load_announced(
    key: str,
    fakes: Sequence[torch.Tensor],
    fake_mode: FakeTensorMode,
    options: dict[str, Any],
    region_name: str | None,
) -> Callable[..., Any] | None:
    """As `load_compiled`, in a compile session, which sees inductor hit its cache."""
    with dynamo_timed(
        "compile_fx_inner",
        phase_name="inductor_compile",
        log_pt2_compile_event=True,
        dynamo_compile_column_us="inductor_cumulative_compile_time_us",
    ):
        compiled, found = _load(key, fakes, fake_mode, options, region_name)
    if compiled is not None:
        trace_structured(
            "artifact",
            metadata_fn=lambda: {"name": "fx_graph_cache_hit", "encoding": "json"},
            payload_fn=lambda: json.dumps(found),
        )
    return compiled


def _load(
    key: str,
    fakes: Sequence[torch.Tensor],
    fake_mode: FakeTensorMode,
    options: dict[str, Any],
    region_name: str | None,
) -> tuple[Callable[..., Any] | None, dict[str, Any]]:
    """Also gives what FxGraphCache says of the entry."""
    constants = CompiledFxGraphConstants()
    with config.patch(options), tracing(TracingContext(fake_mode)), V.set_fake_mode(fake_mode):
        compiled, found = FxGraphCache.load_with_key(
            key,
            [],
            list(fakes),
            local=True,
            remote_cache=None,
            is_backward=False,
            constants=constants,
        )
        if compiled is None:
            return None, {}
        compiled._fx_graph_cache_key = key
        if versions.inductor_names_regions():
            vars(compiled)["compile_region_name"] = region_name
        compiled.post_compile(list(fakes), constants, compiled.fx_kwargs)
    return compiled, dict(found)
