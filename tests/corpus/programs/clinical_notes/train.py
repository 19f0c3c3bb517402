"""Trains on the visits of both clinics."""

import torch
from records import visits
from torch.nn import functional
from triage import Triage


def main():
    torch.manual_seed(12)
    model = torch.compile(Triage(), backend="aot_eager")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for note, urgency in visits(["city", "city", "coast", "city", "coast", "coast"]):
        loss = functional.mse_loss(model(note), urgency)
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
