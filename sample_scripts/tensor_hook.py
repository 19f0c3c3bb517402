"""A tensor hook becomes part of the compiled backward.

Python hooks run in the middle of a backward, so a compiler that has to finish its
backward graph before the hook exists cannot include them. Compiled autograd captures at
the time of the backward: the hook is a ``call_hook`` node in its graph, and Dynamo inlines
what it does.

    TORCH_LOGS=compiled_autograd ca run sample_scripts/tensor_hook.py

What to look for: one capture whose graph calls ``call_hook`` with
``hook_type='tensor_pre_hook'``, one hit, and gradients that are ten more than 2 x.
"""

import argparse

import torch


def main() -> None:
    parser = argparse.ArgumentParser(description="run a tensor hook inside a captured backward")
    parser.add_argument(
        "--backend", default="aot_eager", choices=["eager", "aot_eager", "inductor"]
    )
    backend = parser.parse_args().backend

    torch.manual_seed(0)

    @torch.compile(backend=backend)
    def forward(x):
        return (x * x).sum()

    x = torch.randn(5, requires_grad=True)
    x.register_hook(lambda grad: grad + 10)
    backward_compiler = torch.compile(backend=backend, fullgraph=True)
    for step in range(2):
        x.grad = None
        loss = forward(x)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        print(f"step {step}: gradient {[f'{g:.6f}' for g in x.grad.tolist()]}")
    print(f"gradient is 2 x + 10: {torch.allclose(x.grad, 2 * x.detach() + 10)}")


if __name__ == "__main__":
    main()
