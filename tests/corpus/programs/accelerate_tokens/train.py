"""Trains the language model with accelerate and reports its progress in tokens."""

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from model import PAD, NextWord
from torch.utils.data import DataLoader


def sentences(count=32, length=12):
    tokens = torch.randint(1, 50, (count, length))
    for row in tokens:
        row[torch.randint(length // 2, length, ()) :] = PAD
    return tokens


def main():
    set_seed(0)
    accelerator = Accelerator(cpu=True)
    loader = DataLoader(sentences(), batch_size=8, shuffle=True)
    network = NextWord()
    model = torch.compile(network, backend="eager")
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(2):
        for tokens in loader:
            loss = model(tokens)
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.print(f"{epoch}: {network.tokens_seen} tokens, loss {loss.item():.3f}")


if __name__ == "__main__":
    main()
