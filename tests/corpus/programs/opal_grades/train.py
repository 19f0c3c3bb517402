"""Grading opals."""

import torch
import torch.nn.functional as F
from config import CONFIG
from model import OpalNet
from monitor import GradientWatch
from torch._dynamo import compiled_autograd
from torch.utils.data import DataLoader, TensorDataset


def stones(cfg):
    grades = torch.randint(cfg["grades"], (cfg["stones"],))
    photos = torch.rand(cfg["stones"], cfg["channels"], cfg["side"], cfg["side"])
    photos = photos * (0.5 + 0.2 * grades.view(-1, 1, 1, 1))
    return TensorDataset(photos, grades)


class Experiment:
    def __init__(self, cfg):
        torch.manual_seed(cfg["seed"])
        self.cfg = cfg
        data = cfg["data"]
        self.loader = DataLoader(stones(data), batch_size=data["batch_size"], shuffle=True)
        self.model = OpalNet(data["channels"], data["grades"], **cfg["model"])
        train = cfg["train"]
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), lr=train["lr"], weight_decay=train["weight_decay"]
        )
        self.watcher = GradientWatch(**cfg["monitor"])

    def on_epoch_begin(self, epoch):
        self.model.train()
        self.watcher.watch(self.model)
        self.aux_weight = self.cfg["train"]["aux_weight"][epoch]

    def training_step(self, photo, grade):
        logits, colour = self.model(photo)
        graded = F.cross_entropy(logits, grade)
        coloured = F.mse_loss(colour, photo.mean((2, 3)))
        return graded + self.aux_weight * coloured

    def on_epoch_end(self, epoch, loss):
        print(f"epoch {epoch}: loss {loss:.4f}")
        for key, norm in self.watcher.summary().items():
            print(f"    |grad {key}| {norm:.4f}")

    def fit(self):
        for epoch in range(self.cfg["train"]["epochs"]):
            self.on_epoch_begin(epoch)
            total = 0.0
            for photo, grade in self.loader:
                loss = self.training_step(photo, grade)
                self.optimizer.zero_grad(set_to_none=True)
                loss.backward()
                self.optimizer.step()
                total += loss.item()
            self.on_epoch_end(epoch, total / len(self.loader))


if __name__ == "__main__":
    with compiled_autograd._enable(torch.compile(backend="eager")):
        Experiment(CONFIG).fit()
