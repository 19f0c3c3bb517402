"""Token server: warm up all batch sizes first, then serve without surprises."""
import argparse

import torch

from options import SamplingOptions
from requests_log import REQUESTS
from sampler import Sampler


class Server:
    def __init__(self, words, sizes):
        self.words = words
        self.sizes = sizes
        self.sampler = torch.compile(Sampler(words), backend="eager", dynamic=True)

    def warm_up(self):
        for rows in self.sizes:
            self.sampler(torch.zeros(rows, self.words), SamplingOptions())

    def serve(self, request):
        generator = torch.Generator().manual_seed(request.seed)
        logits = torch.randn(request.rows, self.words, generator=generator)
        return self.sampler(logits, request.options)


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--words", type=int, default=40)
    options = parser.parse_args()
    server = Server(options.words, sizes=[2, 4, 8])
    server.warm_up()
    total = 0.0
    for request in REQUESTS:
        chance = server.serve(request)
        total += chance.max(-1).values.sum().item()
    print("FINAL %.5f" % total)


if __name__ == "__main__":
    main()
