"""Forecast five days of prices; after each epoch one ticker is forecast for a look."""

import torch
from market import Market
from tcn import TCN


class Experiment:
    def __init__(self, model, market, lr=2e-3):
        self.market = market
        self.model = torch.compile(model, backend="eager")
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def run_phase(self, phase, batches):
        losses = []
        for window, target in batches:
            _, logs = self.model(window, target, phase=phase)
            loss = logs[f"{phase}_loss"]
            if phase == "train":
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            losses.append(loss.item())
        return sum(losses) / len(losses)

    def fit(self, epochs):
        for epoch in range(epochs):
            train_loss = self.run_phase("train", self.market.split(0, 60))
            val_loss = self.run_phase("val", self.market.split(55, 90))
            forecast, _ = self.model(*self.market.latest(0), phase="val")
            shown = [round(value, 2) for value in forecast.tolist()]
            print(f"{epoch}: train {train_loss:.3f} val {val_loss:.3f} next {shown}")
        return self.run_phase("test", self.market.split(85, 120))


def main():
    torch.manual_seed(0)
    experiment = Experiment(TCN(), Market())
    print(f"test {experiment.fit(epochs=3):.3f}")


if __name__ == "__main__":
    main()
