"""A job of several ranks."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


# Six steps; rank 1 goes another way at step 3, and at step 4 may crash or hang.
JOB = """\
import pathlib, sys, time
import torch, torch.distributed as dist
torch._dynamo.config.compiled_autograd = True
mode = sys.argv[1]
dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
w = torch.randn(8, 8, requires_grad=True)
@torch.compile(backend="eager")
def backward(loss):
    loss.backward()
for step in range(6):
    y = torch.randn(4, 8) @ w
    if rank == 1 and step == 3:
        y = y.sin()
    if mode != "ok" and rank == 1 and step == 4:
        if mode == "crash":
            raise RuntimeError("rank 1 has had enough")
        pathlib.Path("hangs").touch()
        time.sleep(300)
    backward(y.sum())
    dist.all_reduce(w.grad)
    w.grad = None
dist.destroy_process_group()
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def torchrun(processes: int, *rest: str) -> list[str]:
    return [
        "torchrun", f"--nproc-per-node={processes}", "--master-addr=127.0.0.1",
        f"--master-port={free_port()}", *rest,
    ]  # fmt: skip


def described(folder: Path) -> dict[str, Any]:
    run: dict[str, Any] = json.loads((folder / "run.json").read_text())
    return run


# --- commands without torch ---------------------------------------------------------------


def script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path
