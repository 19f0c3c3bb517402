"""Forecast of ferry tickets; every record is a dict of columns."""

from argparse import ArgumentParser, Namespace

import torch
from tickets import sales
from torch import Tensor, nn


class Forecast(nn.Module):
    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.month = nn.Embedding(12, width)
        self.wind = nn.Linear(1, width)
        self.head = nn.Sequential(nn.LayerNorm(width), nn.SiLU(), nn.Linear(width, 1))

    def forward(self, batch: dict[str, Tensor]) -> dict[str, Tensor]:
        hidden = self.month(batch["month"]) + self.wind(batch["wind"].unsqueeze(-1))
        batch["forecast"] = self.head(hidden).squeeze(-1)
        return batch


def to_tensors(record: dict) -> dict[str, Tensor]:
    return {name: torch.as_tensor(column) for name, column in record.items()}


def loss_of(batch: dict[str, Tensor]) -> Tensor:
    return nn.functional.mse_loss(batch["forecast"], batch["sold"])


def main(args: Namespace) -> None:
    torch.manual_seed(args.seed)
    model = Forecast()
    forward = torch.compile(model, backend=args.backend)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=args.lr)
    by_machine: dict[int, list[float]] = {}
    for number, record in enumerate(sales(args.seed, args.days)):
        batch = forward(to_tensors(record))
        loss = loss_of(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if "machine" in batch:
            by_machine.setdefault(int(batch["machine"]), []).append(loss.item())
        if number % 5 == 0:
            print(f"{number:3d} {loss.item():.4f}")
    for machine, losses in sorted(by_machine.items()):
        print(f"machine {machine}: {sum(losses) / len(losses):.3f}")


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=8)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--backend", default="aot_eager")
    main(parser.parse_args())
