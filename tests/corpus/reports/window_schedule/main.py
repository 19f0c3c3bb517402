"""Small language model whose attention window grows over the run."""
import argparse

import torch

from callbacks import LossPrinter, WindowWarmup
from gpt import Gpt, GptConfig
from loop import Loop


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=16)
    parser.add_argument("--from-window", type=int, default=4)
    parser.add_argument("--to-window", type=int, default=32)
    options = parser.parse_args()
    torch.manual_seed(9)
    model = Gpt(GptConfig())
    callbacks = [WindowWarmup(options.from_window, options.to_window, every=2), LossPrinter(4)]
    loop = Loop(model, callbacks, options.steps)
    print("FINAL %.5f" % loop.run())


if __name__ == "__main__":
    main()
