"""Learns the text, two batches to a step."""

import torch
from model import GatedLM, objective
from text import LETTERS, Blocks, encoded
from torch._dynamo import compiled_autograd


@torch.no_grad()
def evaluate(model, text):
    model.eval()
    error = objective(model(text[None, :-1]), text[None, 1:], temperature=1.0, tail=1.0)
    model.train()
    return error.item()


def epoch(model, optimizer, batches, number):
    total = 0.0
    model.rate = 0.3 - 0.1 * number
    for at, (letters, wanted) in enumerate(batches):
        loss = objective(model(letters), wanted, 1.0 + 1 / (at + 1), tail=1.0 + 0.5 * number)
        (loss / 2).backward()
        total = total + loss.detach()
        if at % 2:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)
    return total


def main(epochs=3):
    torch.manual_seed(0)
    text, model = encoded(), GatedLM(len(LETTERS))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    for number in range(epochs):
        with compiled_autograd._enable(torch.compile(backend="eager")):
            total = epoch(model, optimizer, Blocks(text, length=16, batch=4), number)
        print(f"{number}: {total.item():.2f}, {evaluate(model, text[100:131]):.2f}")


if __name__ == "__main__":
    main()
