"""Trains a picker of onsets with little memory."""

import os

import torch
from picker import Picker
from torch.nn import functional
from waves import tremors


def settings():
    """Read what may be set from outside."""
    return {
        "offload": os.environ.get("PICKER_OFFLOAD", "1") == "1",
        "steps": int(os.environ.get("PICKER_STEPS", "5")),
    }


def main():
    chosen = settings()
    torch.manual_seed(0)
    model = Picker(offload=chosen["offload"])
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for waves, onset in tremors(chosen["steps"]):
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(waves), onset, label_smoothing=0.05)
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
