"""Adapts a classifier of signals from the laboratory to the field."""

import torch
from model import DomainNet
from torch._dynamo import compiled_autograd
from torch.nn import functional
from torch.utils.data import ConcatDataset, DataLoader, TensorDataset


def recordings(count, domain, length=20):
    x = torch.randn(count, 3, length) * (1 + domain)
    labels = x.mean(2).argmax(1)
    return TensorDataset(x, labels, torch.full((count,), domain))


class DomainTrainer:
    def __init__(self, model, data, batch_size=8):
        self.model = model
        self.data = data
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
        self.loader_options = {"batch_size": batch_size, "shuffle": True}

    def objective(self, x, labels, domains):
        logits, judged = self.model(x)
        known = functional.cross_entropy(logits, labels, reduction="none")
        supervised = (known * (domains == 0)).mean()
        return supervised + functional.cross_entropy(judged, domains)

    def epoch(self):
        for batch in DataLoader(self.data, **self.loader_options):
            loss = self.objective(*batch)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


def main():
    torch.manual_seed(0)
    data = ConcatDataset([recordings(12, 0), recordings(12, 1)])
    trainer = DomainTrainer(DomainNet(), data)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _ in range(2):
            trainer.epoch()


if __name__ == "__main__":
    main()
