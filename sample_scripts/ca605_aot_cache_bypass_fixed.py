"""AOTAutogradCache is off, since it cannot keep what is captured.

Nothing is looked up in vain. Inductor's own cache of generated code still holds.

    ca run sample_scripts/ca605_aot_cache_bypass_fixed.py

What to look for: no finding.
"""

import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
torch._functorch.config.enable_autograd_cache = False


def main() -> None:
    torch.manual_seed(0)
    model = nn.Linear(6, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(16, 6), torch.randn(16, 1)

    @torch.compile
    def train(inputs, targets):
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        return loss

    for step in range(3):
        optimizer.zero_grad(set_to_none=True)
        loss = train(inputs, targets)
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
