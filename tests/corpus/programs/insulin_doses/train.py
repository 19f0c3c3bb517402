"""Trains a predictor of glucose for four kinds of insulin pump."""

import torch
from model import DoseModel, pinball
from patients import PUMPS, visits

RUN = {"visits": 16, "lr": 3e-3, "betas": (0.9, 0.98)}


def main():
    torch.manual_seed(0)
    model = DoseModel(PUMPS)
    model.compile(backend="eager")
    optimizer = torch.optim.Adam(model.parameters(), lr=RUN["lr"], betas=RUN["betas"])
    for visit in visits(RUN["visits"]):
        predicted = model(visit["glucose"], visit["pump"])
        loss = pinball(predicted, visit["next"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
