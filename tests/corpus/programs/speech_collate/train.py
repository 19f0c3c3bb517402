"""Trains the speech model; the gradient of the head is watched for explosions."""

import torch
from data import make_loader
from model import SpeechNet
from torch._dynamo import compiled_autograd
from torch.nn import functional


def warn_if_large(gradient):
    if gradient.abs().max() > 100:
        print("large gradient in the head")
    return gradient


def main():
    torch.manual_seed(0)
    model = SpeechNet()
    model.head.weight.register_hook(warn_if_large)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with compiled_autograd._enable(torch.compile(backend="aot_eager", dynamic=False)):
        for frames, labels in make_loader():
            loss = functional.cross_entropy(model(frames), labels)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    main()
