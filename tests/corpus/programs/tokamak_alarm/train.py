"""Trains an alarm for disruptions."""

import torch
from alarm import MarginLoss, build
from shots import Shots
from torch.utils.data import DataLoader


def main(epochs=4):
    torch.manual_seed(0)
    loader = DataLoader(Shots(), batch_size=12, shuffle=True)
    alarm, criterion = build(), MarginLoss()
    risk_of = torch.compile(alarm, backend="aot_eager")
    loss_of = torch.compile(criterion, backend="aot_eager")
    optimizer = torch.optim.SGD(alarm.parameters(), lr=0.1, nesterov=True, momentum=0.9)
    for _ in range(epochs):
        right = 0
        for signals, disrupted in loader:
            risk = risk_of(signals)
            loss = loss_of(risk, disrupted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            right += int(((risk > 0) == disrupted.bool()).sum())
        criterion.widen(right / len(loader.dataset))


if __name__ == "__main__":
    main()
