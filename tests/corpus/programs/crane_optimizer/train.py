"""Learns how cranes sway."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from trainer import Trainer, TrainingArguments


def swings(count, sensors=6):
    inputs = torch.randn(count, sensors)
    return TensorDataset(inputs, torch.stack([inputs.sum(1).sin(), inputs.prod(1)], dim=1))


def main():
    torch.manual_seed(0)
    loader = DataLoader(swings(44), batch_size=16, shuffle=True)
    model = nn.Sequential(nn.Linear(6, 32), nn.SiLU(), nn.Linear(32, 2))
    Trainer(model, TrainingArguments(), loader, nn.MSELoss()).train()


if __name__ == "__main__":
    main()
