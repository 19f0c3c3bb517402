"""One size takes the values 10, 100 and 10: a recapture, then a recompile.

With the config flag on, sizes are static at first. The second backward has another size
than the first, so it is captured again, with the sizes that changed lifted to inputs. The
third finds that graph: a hit. But what Dynamo compiled for the captured graph was
specialised to 100, and is compiled once more, now for any size. A fourth, of yet another
size, costs nothing.

    ca run sample_scripts/changed_shapes.py

What to look for: two captures, the second of kind ``changed_shapes``; one Dynamo recompile
below it, whose guard says that ``sizes[0]`` was expected to be 100; two hits.
"""

import argparse

import torch


def main() -> None:
    parser = argparse.ArgumentParser(description="run a backward with changing sizes")
    parser.add_argument(
        "--backend", default="aot_eager", choices=["eager", "aot_eager", "inductor"]
    )
    backend = parser.parse_args().backend

    torch.manual_seed(0)
    torch._dynamo.config.compiled_autograd = True
    for i in [10, 100, 10, 50]:
        x = torch.randn(i, i, requires_grad=True)
        loss = (x * x).sum()
        torch.compile(lambda loss=loss: loss.backward(), backend=backend)()
        print(f"{i} x {i}: sum of |gradient| {x.grad.abs().sum().item():.4f}")


if __name__ == "__main__":
    main()
