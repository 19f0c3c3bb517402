"""The twin of ca609_uncompilable_backward_bad.py: the sequences are padded and masked.

    ca run sample_scripts/ca609_uncompilable_backward_fixed.py

What to look for: no CA609.
"""

import torch
from torch import nn


def main() -> None:
    torch.manual_seed(0)
    embed, rnn = nn.Linear(4, 4), nn.GRU(4, 6, batch_first=True)
    parameters = [*embed.parameters(), *rnn.parameters()]
    for parameter in parameters:
        parameter.grad = torch.zeros_like(parameter)
    last = torch.tensor([7, 5, 2]) - 1
    compiler = torch.compile(backend="eager")

    for step in range(3):
        outputs, _ = rnn(embed(torch.randn(3, 7, 4)))
        is_last = (torch.arange(7) == last[:, None]).unsqueeze(-1)
        loss = (outputs * is_last).sum(1).square().mean()
        with torch._dynamo.compiled_autograd._enable(compiler):
            loss.backward()
        for parameter in parameters:
            parameter.grad.zero_()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
