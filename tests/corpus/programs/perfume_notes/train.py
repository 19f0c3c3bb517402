"""Learns to name the notes of perfumes."""

import torch
from nose import Nose, asymmetric
from scents import NOTES, panel
from schedule import Value
from torch._dynamo import compiled_autograd

SETTINGS = {
    "shift": Value(0.05, 0.1, "linear"),
    "focus": Value(1.5, 3.0, "cosine"),
    "noise": Value(0.2, 0.0, "linear"),
}


class Sharpness:
    """Gathers how large the gradient of each head was."""

    def __init__(self):
        self.mean = {}

    def hook(self, name):
        self.mean.setdefault(name, torch.zeros(()))

        def gather(parameter):
            self.mean[name].lerp_(parameter.grad.abs().mean(), 0.5)

        return gather


def main(epochs=3, sittings=4):
    torch.manual_seed(0)
    model, sharpness = Nose(NOTES), Sharpness()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(epochs):
            now = {name: value.at(epoch / epochs) for name, value in SETTINGS.items()}
            handles = []
            if epoch == epochs - 1:
                for note, head in model.notes.items():
                    handles.append(
                        head.weight.register_post_accumulate_grad_hook(sharpness.hook(note))
                    )
            for mixture, said in panel(sittings):
                noisy = mixture + now["noise"] * torch.randn_like(mixture)
                loss = asymmetric(model(noisy), said, now["shift"], now["focus"])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            for handle in handles:
                handle.remove()


if __name__ == "__main__":
    main()
