"""Examines this interpreter: ``python -m ca_engine.doctor`` prints the findings as JSON.

A process of its own, because it imports torch and captures a backward.
"""

from __future__ import annotations

import json
import platform
import re
import sys
from pathlib import Path
from typing import Any

from ca_engine.version import __version__, is_recorded


def examine() -> dict[str, Any]:
    """Return versions, whether the engine fits this torch, and the outcome of a real capture.

    Keys: ``python``, ``executable``, ``platform``, ``ca``; ``torch`` (None if it can't be
    imported, with ``torch_error``); ``tested`` (the range of versions), ``supported``,
    ``recorded`` (whether the recorder works with it), ``lowering`` (whether captured graphs may be
    lowered with it), ``background`` (whether graphs of Dynamo's may be compiled in another
    process);
    ``capture`` ("ok", or the error of capturing a small backward); ``gpus``, for each its
    ``name``, ``memory`` in bytes and ``capture`` as above, made on it; ``driver``, the version of
    NVIDIA's kernel module, and ``cuda``, what torch was built with; None without.
    """
    found: dict[str, Any] = {
        "python": platform.python_version(),
        "executable": sys.executable,
        "platform": platform.platform(),
        "ca": __version__,
        "torch": None,
        "supported": False,
        "recorded": False,
        "lowering": False,
        "background": False,
        "capture": None,
        "gpus": [],
        "driver": driver_version(),
        "cuda": None,
    }
    try:
        import torch

        found["recorded"] = is_recorded(torch.__version__)
        if not found["recorded"]:
            return found | {"torch": torch.__version__}
        from ca_engine.compat import versions
        from ca_engine.lowering import modes
    except Exception as error:
        found["torch_error"] = f"{type(error).__name__}: {error}"
        return found
    found["torch"] = torch.__version__
    found["tested"] = [".".join(map(str, v)) for v in (versions.FIRST_TESTED, versions.LAST_TESTED)]
    found["supported"] = versions.is_supported()
    found["lowering"] = modes.is_proven()
    found["background"] = versions.compiles_graphs_elsewhere()
    found["cuda"] = torch.version.cuda
    found["capture"] = _try_capture("cpu")
    found["gpus"] = [_examine_gpu(index) for index in range(torch.cuda.device_count())]
    return found


def driver_version(file: Path = Path("/proc/driver/nvidia/version")) -> str | None:
    """Return the version that NVIDIA's kernel module writes into ``file``; None without one."""
    try:
        found = re.search(r"Kernel Module.*?\s(\d+\.[\d.]+)\s", file.read_text("utf-8"))
    except OSError:
        return None
    return None if found is None else found[1]


def _examine_gpu(index: int) -> dict[str, Any]:
    import torch

    try:
        properties = torch.cuda.get_device_properties(index)
    except Exception as error:  # a broken device is listed as one, beside those that work
        return {"name": f"cuda:{index}", "memory": None, "capture": f"{error}"}
    return {
        "name": properties.name,
        "memory": properties.total_memory,
        "capture": _try_capture(f"cuda:{index}"),
    }


def _try_capture(device: str) -> str:
    import torch

    import ca_engine

    try:
        x = torch.ones(3, requires_grad=True, device=device)
        with ca_engine.enable(lambda module: module):
            torch.autograd.backward((x * 2).sum())
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if x.grad is None or x.grad.tolist() != [2.0, 2.0, 2.0]:
        return f"wrong gradient: {x.grad}"
    return "ok"


if __name__ == "__main__":
    print(json.dumps(examine()))
