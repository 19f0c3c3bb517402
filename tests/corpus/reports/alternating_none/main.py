"""Accumulates over a varying number of micro-batches with a compiled backward."""
import torch
from torch import nn
import torch.nn.functional as F
import torch._dynamo

torch._dynamo.config.compiled_autograd = True


def micro_batches(generator, count):
    for _ in range(count):
        x = torch.randn(12, 6, generator=generator)
        yield x, (x[:, 0] * x[:, 1] > 0).long()


def main():
    torch.manual_seed(43)
    generator = torch.Generator().manual_seed(43)
    model = nn.Sequential(nn.Linear(6, 20), nn.ELU(), nn.Linear(20, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)

    @torch.compile(backend="aot_eager")
    def backward(x, y, share):
        loss = F.cross_entropy(model(x), y) * share
        loss.backward()
        return loss.detach()

    for step in range(8):
        count = 2
        total = 0.0
        for x, y in micro_batches(generator, count):
            total += backward(x, y, torch.tensor(1.0 / count)).item()
        optimizer.step()
        optimizer.zero_grad(set_to_none=step % 2 == 0)
        print(f"step {step} loss {total:.5f}")


if __name__ == "__main__":
    main()
