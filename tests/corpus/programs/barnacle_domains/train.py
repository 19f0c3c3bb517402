"""Domain-adversarial training: count barnacles in a harbour without labels."""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass

import torch
import torch.nn.functional as F
from data import Harbours, Pair
from model import DomainNet
from torch import Tensor

log = logging.getLogger("barnacles")


@dataclass
class Settings:
    steps: int = 16
    batch_size: int = 12
    lr: float = 0.05
    domain_weight: float = 0.3
    log_every: int = 6
    seed: int = 21


class Trainer:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.model = DomainNet()
        self.data = Harbours(settings.batch_size, settings.seed)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=settings.lr, momentum=0.9)
        self.history: list[Tensor] = []

    def losses(self, pair: Pair) -> tuple[Tensor, Tensor]:
        logits, domain = self.model(pair.images)
        labelled = F.cross_entropy(logits[: len(pair.labels)], pair.labels)
        return labelled, F.binary_cross_entropy_with_logits(domain, pair.domains)

    def step(self, pair: Pair, number: int) -> None:
        self.model.reversal.advance(number / self.settings.steps)
        for group in self.optimizer.param_groups:
            group["lr"] = self.settings.lr / (1 + 10 * number / self.settings.steps) ** 0.75
        labelled, domain = self.losses(pair)
        self.optimizer.zero_grad()
        (labelled + self.settings.domain_weight * domain).backward()
        self.optimizer.step()
        self.history.append(labelled.detach())
        if number % self.settings.log_every == 0:
            log.info("%3d class %.3f domain %.3f", number, labelled.item(), domain.item())

    @torch.no_grad()
    def accuracy(self) -> float:
        pair = next(self.data.take(1))
        logits, _ = self.model(pair.source)
        return (logits.argmax(1) == pair.labels).float().mean().item()

    def fit(self) -> None:
        for number, pair in enumerate(self.data.take(self.settings.steps)):
            self.step(pair, number)
        log.info("mean loss %.3f, accuracy %.2f", torch.stack(self.history).mean(), self.accuracy())


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    settings = Settings()
    log.info("%s", asdict(settings))
    torch.manual_seed(settings.seed)
    Trainer(settings).fit()


if __name__ == "__main__":
    main()
