"""One rank of a two-process job: trains a little, prints its gradients, writes its graphs.

``torchrun --nproc-per-node 2 distributed_job.py ddp|fsdp ca|torch FOLDER [BACKEND]``, on the CPU,
or on the device that ``CA_TEST_DEVICE`` names. Without ``CA_LOWERING`` nothing is lowered.
"""

from __future__ import annotations

import json
import os
import re
import sys
from functools import partial
from pathlib import Path
from typing import Any

import torch
import torch._dynamo
import torch._dynamo.compiled_autograd as torch_engine
import torch.distributed as dist
from torch import fx, nn

import ca_engine
from tests.engine.conftest import canonical, gradient, note_way, noting_ways, use_engine


def ddp(model: nn.Module) -> nn.Module:
    torch._dynamo.config.optimize_ddp = "python_reducer"
    return nn.parallel.DistributedDataParallel(model)


def fsdp(model: nn.Module) -> nn.Module:
    from torch.distributed.fsdp import fully_shard

    for layer in model.children():
        if isinstance(layer, nn.Linear):
            fully_shard(layer)
    fully_shard(model)
    return model


def keep_graphs() -> list[Any]:
    """A list that gets the rows of every graph that is captured from now on."""
    graphs: list[Any] = []
    make_compiler = torch_engine.AutogradCompilerInstance

    def make(compiler_fn: Any) -> Any:
        def keeping(module: fx.GraphModule) -> Any:
            graphs.append(canonical(module.graph))
            return compiler_fn(module)

        return make_compiler(keeping)

    use_engine(make)
    return graphs


def main() -> None:
    wrap = {"ddp": ddp, "fsdp": fsdp}[sys.argv[1]]
    engine: Any = sys.argv[2]
    folder = Path(sys.argv[3])
    backend = sys.argv[4] if len(sys.argv) > 4 else "aot_eager"
    # On a GPU: make gpu.
    device = os.environ.get("CA_TEST_DEVICE", "cpu")
    if device == "cuda":
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if device == "cuda" else "gloo")
    ways: list[str] = []
    lowering = bool(os.environ.get("CA_LOWERING"))
    with ca_engine.install(engine=engine, lowering=lowering), noting_ways(partial(note_way, ways)):
        torch.manual_seed(0)
        model = wrap(nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2)).to(device))
        torch._dynamo.config.compiled_autograd = True
        compiled = torch.compile(model, backend=backend)
        torch.manual_seed(dist.get_rank())
        lines, graphs = [], keep_graphs()
        for step in range(3):
            model.zero_grad()
            loss = compiled(torch.randn(3, 4, device=device)).square().sum()
            torch.compile(lambda loss=loss: loss.backward(), backend=backend)()
            for name, parameter in model.named_parameters():
                grad = gradient(parameter)
                local = grad.to_local() if hasattr(grad, "to_local") else grad
                of_grad = f"{local.double().sum():.12f} {local.stride()} {local._version}"
                lines.append(f"{dist.get_rank()} {step} {name} {of_grad}")
        captures = torch._dynamo.utils.counters["compiled_autograd"]["captures"]
        lines.append(f"{dist.get_rank()} captures {captures}")
        rows = re.sub(r"0x[0-9a-f]+", "an address", json.dumps(graphs, indent=1))
        (folder / f"{dist.get_rank()}.json").write_text(rows)
        (folder / f"{dist.get_rank()}.ways").write_text("\n".join(ways))
        # In one write: two ranks share the stream.
        os.write(1, "".join(f"{line}\n" for line in lines).encode())
    dist.barrier()
    # Under either engine, DDP's teardown now and then aborts on a thread of gloo's.
    os._exit(0)


if __name__ == "__main__":
    main()
