"""Sentences of another length in every step, under CUDA graphs. Runs on CUDA only.

`mode="reduce-overhead"` records a CUDA graph for each length it meets, forward and backward.

    ca run sample_scripts/ca901_cudagraph_rerecord_bad.py

What to look for: CA901, with as many recordings as lengths.
"""

import sys

import torch
from torch import nn

if not torch.cuda.is_available():
    sys.exit("this sample needs CUDA")

torch._dynamo.config.compiled_autograd = True

LENGTHS = [9, 6, 11, 7, 8, 10]


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(20, 8)
        self.mix = nn.Linear(8, 8)
        self.head = nn.Linear(8, 4)

    def forward(self, words: torch.Tensor) -> torch.Tensor:  # <- CA901
        return self.head(torch.tanh(self.mix(self.embed(words))))


def main() -> None:
    torch.manual_seed(0)
    model = Tagger().cuda()
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    compiled = torch.compile(model, mode="reduce-overhead", dynamic=True)

    @torch.compile(mode="reduce-overhead", dynamic=True)
    def backward(loss: torch.Tensor) -> None:
        loss.backward()

    # Each length twice: the first time warms up, the second records.
    for step, length in enumerate([*LENGTHS, *LENGTHS]):
        torch.compiler.cudagraph_mark_step_begin()
        words = torch.randint(0, 20, (4, length), device="cuda")
        tags = torch.randint(0, 4, (4,), device="cuda")
        optimizer.zero_grad(set_to_none=False)
        loss = nn.functional.cross_entropy(compiled(words).mean(dim=1), tags)
        backward(loss)
        optimizer.step()
        print(f"step {step}: length {length}, loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
