"""Fits premiums of insurance contracts with a mixture of experts."""

import torch
from moe import TariffModel
from table import Contracts
from torch._dynamo import compiled_autograd
from torch.nn import functional as F
from torch.utils.data import DataLoader

BALANCE = 0.01


def main(epochs=2):
    torch.manual_seed(8)
    contracts = Contracts()
    loader = DataLoader(contracts, batch_size=24, shuffle=True)
    model = TariffModel(contracts.cardinalities, numeric=5)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.8)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(epochs):
            for batch, premium in loader:
                output = model(batch)
                loss = F.mse_loss(output.premium, premium) + BALANCE * output.balance
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            scheduler.step()
            print(f"epoch {epoch}: {loss.item():.3f}")


if __name__ == "__main__":
    main()
