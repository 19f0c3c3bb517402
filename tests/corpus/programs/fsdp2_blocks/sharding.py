"""Shards a model's blocks over the processes there are."""

import tempfile
from pathlib import Path

from torch import distributed
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


def meet():
    meeting = f"file://{Path(tempfile.mkdtemp()) / 'meeting'}"
    distributed.init_process_group("gloo", init_method=meeting, rank=0, world_size=1)
    return init_device_mesh("cpu", (1,))


def shard(model, mesh):
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
