"""Classify scanned objects."""

import torch
import torch.nn.functional as F
from pointnet import PointNet
from scans import scans


def main(steps=10):
    torch.manual_seed(0)
    model = PointNet()
    compiled = torch.compile(model, backend="eager", dynamic=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    hits = seen = 0
    for cloud, labels in scans(steps):
        logits = compiled(cloud)
        loss = F.cross_entropy(logits, labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        hits += (logits.argmax(1) == labels).sum().item()
        seen += len(labels)
    print(f"{hits} of {seen} scans")


if __name__ == "__main__":
    main()
