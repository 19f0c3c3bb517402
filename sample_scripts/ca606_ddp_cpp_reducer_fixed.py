"""DDP with its reducer in Python.

Its hooks can be captured and compiled.

    ca run sample_scripts/ca606_ddp_cpp_reducer_fixed.py

What to look for: no finding.
"""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

torch._dynamo.config.compiled_autograd = True
torch._dynamo.config.optimize_ddp = "python_reducer"


def main() -> None:
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(16, 6), torch.randn(16, 1)
    backward = torch.compile(lambda loss: loss.backward(), backend="aot_eager")

    for step in range(4):
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(model(inputs), targets)
        backward(loss)
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
