"""Predicts the growth of kelp from readings of buoys."""

import torch
from loop import EarlyStopping, Engine
from pruning import prune
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch._dynamo.config.compiled_autograd = True


def readings(count, sensors=9):
    inputs = torch.randn(count, sensors)
    return TensorDataset(inputs, inputs[:, :3].sin().sum(1, keepdim=True))


def main():
    torch.manual_seed(2)
    train = DataLoader(readings(40), batch_size=8, shuffle=True)
    valid = DataLoader(readings(11), batch_size=8)
    model = nn.Sequential(
        nn.Linear(9, 32), nn.BatchNorm1d(32), nn.SiLU(), nn.Dropout(0.2), nn.Linear(32, 1)
    )
    prune(model[0], share=0.3)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=0)
    engine, stopping = Engine(model, optimizer, nn.SmoothL1Loss(beta=0.5)), EarlyStopping()
    for epoch in range(4):
        loss, validated = engine.train(train), engine.evaluate(valid)
        plateau.step(validated)
        print(f"epoch {epoch}: {loss:.3f}, validated {validated:.3f}")
        if stopping.update(validated, model):
            break
    model.load_state_dict(stopping.weights)


if __name__ == "__main__":
    main()
