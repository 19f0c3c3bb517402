"""Predicts which customers leave; a fifth of the labels is wrong."""

import torch
from losses import from_settings
from report import Saliency
from settings import Settings
from torch import nn
from torch._dynamo import compiled_autograd


class Churn(nn.Module):
    def __init__(self, settings):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(settings.features, settings.width), nn.Tanh())
        self.head = nn.Linear(settings.width, 2)

    def forward(self, rows):
        hidden = self.body(rows)
        return self.head(hidden), hidden


def main():
    torch.manual_seed(11)
    settings = Settings()
    rows = torch.randn(96, settings.features)
    labels = (rows[:, 0] > 0).long()
    wrong = torch.rand(96) < 0.2
    labels[wrong] = 1 - labels[wrong]
    model = Churn(settings)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    criterion, saliency = from_settings(settings), Saliency(settings.report_every)
    step = 0
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(settings.epochs):
            for some, theirs in zip(rows.split(16), labels.split(16), strict=True):
                logits, hidden = model(some)
                saliency.before(hidden, step)
                loss = criterion(logits, theirs, epoch)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                saliency.after(hidden, step)
                step += 1


if __name__ == "__main__":
    main()
