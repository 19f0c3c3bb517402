"""Trains a GPT; every few steps it is evaluated, and writes a sample."""

import torch
from model import GPT
from sample import write


def batch(text, block_size):
    starts = torch.randint(0, len(text) - block_size, (4,)).tolist()
    x = torch.stack([text[start : start + block_size] for start in starts])
    y = torch.stack([text[start + 1 : start + block_size + 1] for start in starts])
    return x, y


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
    for step in range(9):
        if step % 4 == 0:
            estimate(model, text, gpt.block_size)
            model.eval()
            write(model, text[None, :4], 10, gpt.block_size)
            model.train()
        _, loss = model(*batch(text, gpt.block_size))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
