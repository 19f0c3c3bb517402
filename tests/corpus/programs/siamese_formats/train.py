"""Pulls both views of a plate together."""

from contextlib import nullcontext

import torch
from network import GradCam, Siamese
from plates import Brightened, Turned, plates
from torch._dynamo import compiled_autograd
from torch.nn import functional

LOOK_EVERY = 5


def main(steps=10):
    torch.manual_seed(0)
    model = Siamese()
    cam = GradCam(model.second)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    transforms = [Brightened(0.2), Turned(0.4)]
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step, (left, right) in enumerate(plates(steps, transforms)):
            with cam.recording() if step % LOOK_EVERY == 4 else nullcontext():
                apart = 1 - functional.cosine_similarity(model(left), model(right).detach())
                loss = apart.mean()
                optimizer.zero_grad()
                loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
