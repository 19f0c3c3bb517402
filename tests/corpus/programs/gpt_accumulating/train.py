"""Trains a GPT with gradient accumulation and a learning-rate schedule, evaluates and samples.

Nothing is wrong here: the sample is written with the model that is not compiled.
"""

import math

import torch
from model import GPT
from sample import write


def batch(text, block_size):
    starts = torch.randint(0, len(text) - block_size, (4,)).tolist()
    x = torch.stack([text[start : start + block_size] for start in starts])
    y = torch.stack([text[start + 1 : start + block_size + 1] for start in starts])
    return x, y


def rate_at(step, warmup=2, last=6, best=1e-3):
    if step < warmup:
        return best * (step + 1) / warmup
    return 0.5 * best * (1 + math.cos(math.pi * (step - warmup) / (last - warmup)))


@torch.no_grad()
def estimate(model, text, block_size):
    model.eval()
    losses = [model(*batch(text, block_size))[1] for _ in range(2)]
    model.train()
    return torch.stack(losses).mean()


def main():
    torch.manual_seed(0)
    text = torch.randint(0, 30, (400,))
    gpt = GPT()
    model = torch.compile(gpt, backend="aot_eager")
    optimizer = torch.optim.AdamW(gpt.parameters(), lr=1e-3)
    for step in range(6):
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step)
        if step % 3 == 0:
            estimate(model, text, gpt.block_size)
            write(gpt, text[None, :4], 5, gpt.block_size)
        for _ in range(2):
            _, loss = model(*batch(text, gpt.block_size))
            (loss / 2).backward()
        torch.nn.utils.clip_grad_norm_(gpt.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


if __name__ == "__main__":
    main()
