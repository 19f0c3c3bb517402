"""A captured backward that AOTAutogradCache cannot keep.

With Inductor each start of the program compiles all of it anew: the forward's entry is never
saved, and the captured graph calls functions that the cache does not know.

    ca run sample_scripts/ca605_aot_cache_bypass_bad.py

What to look for: CA605, for information: it costs at the start of a process only.
"""

import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True


def main() -> None:
    torch.manual_seed(0)
    model = nn.Linear(6, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(16, 6), torch.randn(16, 1)

    @torch.compile
    def train(inputs, targets):
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()  # <- CA605
        return loss

    for step in range(3):
        optimizer.zero_grad(set_to_none=True)
        loss = train(inputs, targets)
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
