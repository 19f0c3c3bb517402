"""What the engine finds in this interpreter: ``python -m ca_engine.doctor`` prints it as JSON.

A process of its own, because it imports torch and captures a backward.
"""

from __future__ import annotations

import json
import platform
import sys
from typing import Any

from ca_engine.version import __version__


def examine() -> dict[str, Any]:
    """Versions, whether the engine fits this torch, and the outcome of a real capture.

    Keys: ``python``, ``executable``, ``platform``, ``ca``; ``torch`` (None if it can't be
    imported, with ``torch_error``); ``tested`` (the range of versions), ``supported``,
    ``lowering`` (whether captured graphs may be lowered with it);
    ``capture`` ("ok", or the error of capturing a small backward) and ``gpus``.
    """
    found: dict[str, Any] = {
        "python": platform.python_version(),
        "executable": sys.executable,
        "platform": platform.platform(),
        "ca": __version__,
        "torch": None,
        "supported": False,
        "lowering": False,
        "capture": None,
        "gpus": [],
    }
    try:
        import torch

        from ca_engine.compat import versions
        from ca_engine.lowering import modes
    except Exception as error:
        found["torch_error"] = f"{type(error).__name__}: {error}"
        return found
    found["torch"] = torch.__version__
    found["tested"] = [".".join(map(str, v)) for v in (versions.FIRST_TESTED, versions.LAST_TESTED)]
    found["supported"] = versions.is_supported()
    found["lowering"] = modes.is_proven()
    found["gpus"] = [
        torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())
    ]
    found["capture"] = _try_capture()
    return found


def _try_capture() -> str:
    import torch

    import ca_engine

    x = torch.ones(3, requires_grad=True)
    try:
        with ca_engine.enable(lambda module: module):
            torch.autograd.backward((x * 2).sum())
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if x.grad is None or x.grad.tolist() != [2.0, 2.0, 2.0]:
        return f"wrong gradient: {x.grad}"
    return "ok"


if __name__ == "__main__":
    print(json.dumps(examine()))
