"""Trains a forecaster of load, further ahead with every epoch."""

import torch
from curriculum import Curriculum
from forecaster import Forecaster, pinball
from torch.utils.data import DataLoader
from windows import LoadWindows


class Experiment:
    def __init__(self, model, curriculum, lr=3e-3):
        self.model, self.curriculum = model, curriculum
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)
        self.loss = torch.compile(self.forecast_loss, backend="aot_eager")

    def forecast_loss(self, seen, future, horizon):
        return pinball(self.model(seen, horizon), future[:, :horizon])

    def run(self, loader, epochs):
        for epoch in range(epochs):
            for seen, future in loader:
                loss = self.loss(seen, future, self.curriculum.horizon(epoch))
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


def main():
    torch.manual_seed(0)
    loader = DataLoader(LoadWindows(), batch_size=8, shuffle=True, drop_last=True)
    Experiment(Forecaster(), Curriculum()).run(loader, epochs=4)


if __name__ == "__main__":
    main()
