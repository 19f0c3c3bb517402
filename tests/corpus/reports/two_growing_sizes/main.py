"""Tagger on ragged documents; the whole step, backward included, is compiled."""
import argparse

import torch

from corpus import Documents, collate
from step import TrainStep
from tagger import Tagger
from torch.utils.data import DataLoader

torch._dynamo.config.compiled_autograd = True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=4)
    options = parser.parse_args()
    torch.manual_seed(17)
    loader = DataLoader(Documents(10), batch_size=options.batch, collate_fn=collate)
    step = TrainStep(Tagger(words=20, tags=3))
    for epoch in range(options.epochs):
        total = sum(step(words, tags) for words, tags in loader)
        print("epoch %d loss %.4f" % (epoch, total))


if __name__ == "__main__":
    main()
