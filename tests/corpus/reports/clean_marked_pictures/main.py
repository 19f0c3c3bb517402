"""Upscaler for pictures of any size, one graph."""
import argparse

import torch

from pictures import PICTURES, load
from upscale import Upscaler


class Pipeline:
    def __init__(self, channels):
        torch.manual_seed(50)
        self.net = Upscaler(channels).eval()
        self.fast = torch.compile(self.net, backend="eager")

    @torch.no_grad()
    def __call__(self, name):
        picture = load(name)
        for side in (2, 3):
            torch._dynamo.mark_dynamic(picture, side, min=8, max=4096)
        return self.fast(picture)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--channels", type=int, default=6)
    options = parser.parse_args()
    pipeline = Pipeline(options.channels)
    total = 0.0
    for name in PICTURES:
        large = pipeline(name)
        total += large.mean().item()
        print(name, tuple(large.shape[2:]))
    print("FINAL %.5f" % total)


if __name__ == "__main__":
    main()
