"""Toggles train and eval every epoch; both variants are kept."""
import argparse

import torch

from rounds import Rounds
from texts import batches
from tagger import Tagger


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=6)
    options = parser.parse_args()
    torch.manual_seed(44)
    rounds = Rounds(Tagger(words=30, tags=4))
    for epoch in range(options.epochs):
        trained = rounds.train(batches(seed=epoch, count=3))
        checked = rounds.check(batches(seed=99, count=2))
        print("epoch %d train %.4f check %.4f" % (epoch, trained, checked))


if __name__ == "__main__":
    main()
