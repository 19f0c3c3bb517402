"""A backward that is compiled by wrapping nothing but the call of ``backward()``.

The model is compiled on its own. With the config flag on, compiled autograd is active
inside any compiled function, so a compiled lambda around ``loss.backward()`` is the
smallest region that turns it on. Dynamo cannot trace ``Tensor.backward()`` itself and
breaks there, which is why the lambda must not ask for ``fullgraph=True`` (torch 2.13
refuses). ``compiled_autograd_kwargs_override`` asks for it where it matters: in the
captured backward.

    ca run sample_scripts/backward_lambda.py

What to look for: one capture and three hits, although the lambda is a new one each step,
and no graph break of the script's own: a break at ``Tensor.backward()`` is how the
wrapping works.
"""

import argparse

import torch


def main() -> None:
    parser = argparse.ArgumentParser(description="compile a lambda that calls backward()")
    parser.add_argument(
        "--backend", default="aot_eager", choices=["eager", "aot_eager", "inductor"]
    )
    backend = parser.parse_args().backend

    torch.manual_seed(0)
    torch._dynamo.config.compiled_autograd = True
    torch._dynamo.config.compiled_autograd_kwargs_override = {"fullgraph": True}
    model = torch.nn.Sequential(torch.nn.Linear(6, 12), torch.nn.GELU(), torch.nn.Linear(12, 3))
    compiled_model = torch.compile(model, backend=backend)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, labels = torch.randn(10, 6), torch.randint(0, 3, (10,))

    for step in range(4):
        optimizer.zero_grad(set_to_none=True)
        loss = torch.nn.functional.cross_entropy(compiled_model(inputs), labels)
        torch.compile(lambda loss=loss: loss.backward(), backend=backend)()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")
    print(f"sum of |gradient|: {sum(p.grad.abs().sum().item() for p in model.parameters()):.6f}")


if __name__ == "__main__":
    main()
