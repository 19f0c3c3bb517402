"""Train with random augmentations inside of the compiled step."""

import random

import torch
import torch.nn.functional as F
from net import PictureNet
from transforms import RandAugment


class Trainer:
    def __init__(self, model, augment, lr=0.05):
        self.model = model
        self.augment = augment
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr, nesterov=True, momentum=0.9)
        self.compiled_loss = torch.compile(self.compute_loss, backend="eager")

    def compute_loss(self, images, labels, operation):
        return F.cross_entropy(self.model(operation(images)), labels)

    def fit(self, batches):
        for step, (images, labels) in enumerate(batches):
            loss = self.compiled_loss(images, labels, self.augment.pick())
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            if step % 4 == 0:
                print(f"step {step}: {loss.item():.3f}")


def pictures(count, batch_size=8):
    for _ in range(count):
        yield torch.rand(batch_size, 3, 16, 16), torch.randint(0, 6, (batch_size,))


def main():
    torch.manual_seed(0)
    Trainer(PictureNet(), RandAugment(random.Random(0))).fit(pictures(12))


if __name__ == "__main__":
    main()
