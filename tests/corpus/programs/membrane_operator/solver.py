"""Fits a DeepONet stage by stage."""

from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from deeponet import DeepONet
from stabilize import warm
from torch import Tensor


@dataclass
class Stage:
    name: str
    steps: int
    train: tuple[str, ...]
    lr: float


@dataclass
class Solver:
    model: DeepONet
    stages: list[Stage]
    warmup: float = 0.1
    history: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.groups = {name: list(part.parameters()) for name, part in self.model.named_children()}
        self.optimizer = torch.optim.Adam(
            [{"params": params, "name": name} for name, params in self.groups.items()]
        )
        self.warming = warm(self.model.branch[0], self.warmup)

    def enter(self, stage: Stage) -> None:
        for group in self.optimizer.param_groups:
            group["lr"] = stage.lr
            for parameter in group["params"]:
                parameter.requires_grad_(group["name"] in stage.train)

    def step(self, load: Tensor, place: Tensor, truth: Tensor) -> float:
        loss = F.mse_loss(self.model(load, place), truth)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def run(self, data: tuple[Tensor, Tensor, Tensor]) -> None:
        for stage in self.stages:
            self.enter(stage)
            self.history += [self.step(*data) for _ in range(stage.steps)]
            print(f"{stage.name:>8}: {self.history[-1]:.5f}")

    @torch.no_grad()
    def relative_error(self, data: tuple[Tensor, Tensor, Tensor]) -> float:
        load, place, truth = data
        return float((self.model(load, place) - truth).norm() / truth.norm())
