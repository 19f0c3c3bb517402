"""Gradual unfreezing of a network for fossils, with compiled backwards."""

import argparse

import torch
from fossils import CLASSES, get_loaders
from learner import Learner
from nets import FossilNet
from torch import nn
from torch._dynamo import compiled_autograd


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bs", type=int, default=16)
    parser.add_argument("--lr", type=float, default=4e-3)
    parser.add_argument("--backend", default="eager")
    parser.add_argument("--thaw", type=int, nargs="+", default=[-1, -2, 0])
    return parser.parse_args()


def main(args):
    torch.manual_seed(9)
    dls = get_loaders(args.bs)
    model = FossilNet(len(CLASSES))
    model(next(iter(dls[0]))[0])  # lazy layers learn their sizes
    learn = Learner(model, dls, nn.CrossEntropyLoss(), lr=args.lr)
    with compiled_autograd._enable(torch.compile(backend=args.backend)):
        for n in args.thaw:
            learn.freeze_to(n)
            learn.fit(1)


if __name__ == "__main__":
    main(parse())
