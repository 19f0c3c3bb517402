# Contrastive learning of gait signals: alignment by InfoNCE, and every few steps a push
# towards a uniform spread (Wang & Isola 2020), which is the expensive part.
import argparse

import torch
import torch.nn.functional as F
from torch import nn


def augment(signal):
    jitter = 0.05 * torch.randn_like(signal)
    scale = 1 + 0.2 * torch.randn(signal.shape[0], 1, 1)
    return signal.roll(int(torch.randint(0, 8, ())), dims=-1) * scale + jitter


def build_encoder(width, out):
    return nn.Sequential(
        nn.Conv1d(3, width, 5, stride=2, padding=2),
        nn.ReLU(),
        nn.Conv1d(width, width, 5, stride=2, padding=2),
        nn.ReLU(),
        nn.AdaptiveAvgPool1d(1),
        nn.Flatten(),
        nn.Linear(width, out),
    )


def info_nce(a, b, temperature):
    return F.cross_entropy(a @ b.T / temperature, torch.arange(len(a)))


def uniformity(z, t=2.0):
    distance = (z[:, None] - z[None]).square().sum(-1)
    return (-t * distance).exp().mean().log()


def main(args):
    torch.manual_seed(args.seed)
    horses = torch.randn(64, 3, 32).cumsum(-1)
    encoder = build_encoder(args.width, args.out)
    optimizer = torch.optim.SGD(encoder.parameters(), lr=args.lr, momentum=0.9)

    for step in range(args.steps):
        signal = horses[torch.randperm(len(horses))[: args.batch_size]]
        a = F.normalize(encoder(augment(signal)), dim=-1)
        b = F.normalize(encoder(augment(signal)), dim=-1)
        temperature = max(0.1, 0.5 - 0.03 * step)

        losses = [info_nce(a, b, temperature)]
        if step % args.spread_every == 0:
            losses.append(args.spread * uniformity(torch.cat([a, b])))

        optimizer.zero_grad()
        torch.autograd.backward(losses)
        optimizer.step()
        if step % 4 == 3:
            print(f"step {step} alignment {losses[0].item():.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--width", type=int, default=12)
    parser.add_argument("--out", type=int, default=8)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--spread", type=float, default=0.5)
    parser.add_argument("--spread-every", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    main(parser.parse_args())
