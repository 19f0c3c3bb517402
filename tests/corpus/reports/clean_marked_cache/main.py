"""Greedy decoding with a growing cache whose length is marked as dynamic."""
import argparse

import torch

from cache import Cache
from lm import Lm


class Generator:
    def __init__(self, lm):
        self.lm = lm
        self.next = torch.compile(lm.decode, backend="eager")

    @torch.no_grad()
    def run(self, prompt, count):
        words = list(prompt)
        cache = Cache(*self.lm.prefill(torch.tensor(words)))
        for _ in range(count):
            keys, values = cache.dynamic()
            scores, key, value = self.next(torch.tensor(words[-1]), keys, values)
            cache.push(key, value)
            words.append(int(scores.argmax()))
        return words


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=12)
    options = parser.parse_args()
    torch.manual_seed(90)
    generator = Generator(Lm(words=40, width=10))
    for prompt in ([3, 9, 27], [5, 5, 1, 30, 2], [7, 8]):
        print(" ".join(str(word) for word in generator.run(prompt, options.count)))


if __name__ == "__main__":
    main()
