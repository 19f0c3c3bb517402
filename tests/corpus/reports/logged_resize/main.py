"""Small U-shaped denoiser over signals of a length that 4 does not divide."""
import argparse
import logging

import torch

from unet import Denoiser

log = logging.getLogger("denoise")


def run(net, steps, length):
    fast = torch.compile(net, backend="eager")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.02)
    last = 0.0
    for step in range(steps):
        clean = torch.sin(torch.linspace(0, 6 + step, length)).expand(3, 1, length)
        noisy = clean + 0.2 * torch.randn(3, 1, length)
        loss = (fast(noisy) - clean).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        last = loss.item()
        log.warning("step %d loss %.5f", step, last)
    return last


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--length", type=int, default=30)
    parser.add_argument("--level", default="WARNING")
    options = parser.parse_args()
    logging.basicConfig(level=options.level, format="%(message)s")
    torch.manual_seed(14)
    print("FINAL %.5f" % run(Denoiser(6), options.steps, options.length))


if __name__ == "__main__":
    main()
