"""DDP with buckets below 1 MB, compiled. Ends with an error.

One process is enough to see it: Dynamo asserts on the sizes before it splits the graph.

    ca run sample_scripts/ca613_ddp_first_bucket_bad.py

What to look for: CA613 where the model is wrapped.
"""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def main() -> None:
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    torch.manual_seed(0)
    layers = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
    compiled = torch.compile(layers, backend="aot_eager")
    model = DistributedDataParallel(compiled, bucket_cap_mb=0.5)  # <- CA613
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(16, 6), torch.randn(16, 1)

    for step in range(4):
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
