"""DDP with its reducer in C++. Ends with an error.

One process is enough to see it: that reducer puts hooks into the backward that cannot be
captured.

    ca run sample_scripts/ca606_ddp_cpp_reducer_bad.py

What to look for: CA606 at the backward call.
"""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

torch._dynamo.config.compiled_autograd = True


def main() -> None:
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(16, 6), torch.randn(16, 1)
    backward = torch.compile(lambda loss: loss.backward(), backend="aot_eager")  # <- CA606

    for step in range(4):
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(model(inputs), targets)
        backward(loss)
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
