"""Adapts the quilt net and samples from it now and then."""

import torch
from lora import merged
from quilts import QuiltNet, Quilts
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader


class Finetuner:
    def __init__(self, model, lr=5e-3, every=2):
        self.model, self.every = model, every
        self.compiled = torch.compile(model, backend="eager")
        trained = [p for p in model.parameters() if p.requires_grad]
        self.optimizer = torch.optim.AdamW(trained, lr=lr)

    def epoch(self, loader):
        for patches, following in loader:
            loss = cross_entropy(self.compiled(patches), following)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        return loss.item()

    def preview(self, patches):
        with merged(self.model), torch.no_grad():
            return self.compiled(patches).argmax(-1)

    def fit(self, loader, epochs):
        held = torch.stack([patches for patches, _ in Quilts(8)])
        for number in range(1, epochs + 1):
            loss = self.epoch(loader)
            if number % self.every == 0:
                print(f"{number}: {loss:.3f}", self.preview(held).tolist())


def main():
    torch.manual_seed(44)
    loader = DataLoader(Quilts(44), batch_size=8)
    Finetuner(QuiltNet()).fit(loader, epochs=4)


if __name__ == "__main__":
    main()
