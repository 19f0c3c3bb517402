"""Train a translator of phrases with teacher forcing."""

import random

import torch
from seq2seq import Seq2Seq, sequence_loss
from torch._dynamo import compiled_autograd
from vocab import PAD, get_batches


def main(steps=8):
    random.seed(0)
    torch.manual_seed(0)
    model = Seq2Seq()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    plot_losses = []
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step, (source, target) in enumerate(get_batches(steps)):
            ratio = max(0.3, 1.0 - 0.1 * step)
            loss = sequence_loss(model(source, target, ratio), target, PAD)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            plot_losses.append(loss.item())
    print(" ".join(f"{value:.2f}" for value in plot_losses))


if __name__ == "__main__":
    main()
