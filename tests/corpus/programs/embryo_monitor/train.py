"""Train the classifier of embryos' stages; the encoder joins after the first steps."""

import torch
import torch.nn.functional as F
from classifier import StageClassifier
from monitor import GradientMonitor
from torch._dynamo import compiled_autograd
from torch.utils.data import DataLoader, TensorDataset

cfg = {"epochs": 4, "freeze_steps": 2, "batch_size": 12, "lr": 3e-3}


def load_data(count=36):
    stages = torch.arange(count) % 5
    images = torch.rand(count, 1, 16, 16) * (1 + stages.view(-1, 1, 1, 1))
    return DataLoader(TensorDataset(images, stages), cfg["batch_size"], shuffle=True)


def fit(model, loader):
    monitor = GradientMonitor()
    optimizer = torch.optim.RAdam(model.parameters(), lr=cfg["lr"])
    model.freeze_encoder()
    step = 0
    for epoch in range(cfg["epochs"]):
        monitor.attach(model.head.weight)
        for images, stages in loader:
            if step == cfg["freeze_steps"]:
                model.unfreeze_encoder()
            loss = F.cross_entropy(model(images), stages)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
        print(f"epoch {epoch}: loss {loss.item():.3f}, {monitor.alarms} alarms")


def main():
    torch.manual_seed(0)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        fit(StageClassifier(), load_data())


if __name__ == "__main__":
    main()
