"""One linear layer, trained for five steps: the case in which nothing goes wrong.

``torch._dynamo.config.compiled_autograd`` is switched on and the train step is under
``torch.compile``. The first backward is captured and compiled; each later one finds it in
the cache.

    ca run sample_scripts/linear.py
    ca run sample_scripts/linear.py --backend inductor

What to look for: one capture, of kind ``first``, and four hits. A training loop whose
shapes, graph and state do not change should look like this one.
"""

import argparse

import torch


def main() -> None:
    parser = argparse.ArgumentParser(description="train one linear layer for five steps")
    parser.add_argument(
        "--backend", default="aot_eager", choices=["eager", "aot_eager", "inductor"]
    )
    backend = parser.parse_args().backend

    torch.manual_seed(0)
    torch._dynamo.config.compiled_autograd = True
    model = torch.nn.Linear(8, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    inputs, targets = torch.randn(16, 8), torch.randn(16, 4)

    @torch.compile(backend=backend)
    def train_step(inputs, targets):
        loss = torch.nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        return loss

    for step in range(5):
        # Before each step, the first included, every .grad is None: the same graph each time.
        optimizer.zero_grad(set_to_none=True)
        loss = train_step(inputs, targets)
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")
    print(f"gradient of the bias: {[f'{g:.6f}' for g in model.bias.grad.tolist()]}")


if __name__ == "__main__":
    main()
