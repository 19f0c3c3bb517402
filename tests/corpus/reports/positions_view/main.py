"""Greedy decoding for a small batch with a preallocated cache."""
import argparse

import torch

from lm import Lm
from prepare import Inputs


class Decoder:
    def __init__(self, lm):
        self.lm = lm
        # every shape is fixed, so no dynamic shapes are wanted
        self.step = torch.compile(lm.step, backend="eager", dynamic=False)

    @torch.no_grad()
    def run(self, prompts, mask, count):
        inputs = Inputs(prompts, mask)
        keys, values = self.lm.prefill(prompts, mask, count)
        word = prompts[:, -1:]
        for _ in range(count):
            scores = self.step(word, inputs.positions(), keys, values)
            word = scores.argmax(-1, keepdim=True)
            inputs.append(word)
        return inputs.words


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=12)
    options = parser.parse_args()
    torch.manual_seed(35)
    prompts = torch.tensor([[0, 0, 5, 9, 2], [7, 3, 1, 4, 8], [0, 6, 6, 2, 9]])
    mask = (prompts > 0).long()
    words = Decoder(Lm(words=30, width=8, longest=40)).run(prompts, mask, options.count)
    for row in words:
        print(" ".join(str(int(word)) for word in row))


if __name__ == "__main__":
    main()
