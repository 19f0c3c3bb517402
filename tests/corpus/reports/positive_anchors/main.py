"""Anchor detector on made-up scenes: classification over all anchors, boxes over the positive ones."""
import torch
from torch import nn
import torch.nn.functional as F


class Detector(nn.Module):
    def __init__(self, features=10, width=32):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(features, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.score, self.box = nn.Linear(width, 1), nn.Linear(width, 4)

    def forward(self, x):
        h = self.body(x)
        return self.score(h).squeeze(-1), self.box(h)


def detection_loss(scores, boxes, positive, targets):
    classification = F.binary_cross_entropy_with_logits(scores, positive.float())
    chosen, wanted = boxes[positive], targets[positive]
    regression = F.smooth_l1_loss(chosen, wanted, reduction="sum") / positive.sum().clamp(min=1)
    return classification + regression


def main():
    torch.manual_seed(38)
    generator = torch.Generator().manual_seed(38)
    model = Detector()

    @torch.compile(backend="aot_eager")
    def loss_of(x, positive, targets):
        scores, boxes = model(x)
        return detection_loss(scores, boxes, positive, targets)

    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for step in range(8):
        x = torch.randn(4, 30, 10, generator=generator)
        positive = x[..., 0] > 0.6
        loss = loss_of(x, positive, x[..., 1:5].tanh())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} positives {int(positive.sum())} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
