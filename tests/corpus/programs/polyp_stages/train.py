"""Stages of polyps, fine-tuned from the head down."""

import torch
from data import loaders
from learner import Learner
from model import StageClassifier
from torch._dynamo import compiled_autograd


def main():
    torch.manual_seed(3)
    learner = Learner(StageClassifier(), loaders(8), lr=5e-3)
    with compiled_autograd._enable(torch.compile(backend="aot_eager")):
        learner.fit(5)
    for epoch, (loss, accuracy) in enumerate(learner.recorder):
        print(f"{epoch} | {loss:.4f} | {accuracy:.3f}")


if __name__ == "__main__":
    main()
