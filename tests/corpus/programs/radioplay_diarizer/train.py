from __future__ import annotations

import logging
from dataclasses import dataclass

import torch
from diarizer import Diarizer, frame_errors, pit_loss
from probes import GradientProbe
from scenes import N_MELS, BucketSampler, Scenes, collate
from torch import nn
from torch.utils.data import DataLoader

log = logging.getLogger("diarizer")


@dataclass(frozen=True)
class Recipe:
    epochs: int = 3
    batch_size: int = 6
    min_frames: int = 3
    max_frames: int = 6
    lr: float = 4e-3
    final_lr: float = 4e-4
    clip: float = 1.0
    probe_every: int = 5
    seed: int = 21


class Run:
    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        bounds = recipe.min_frames, recipe.max_frames
        train, valid = Scenes(26, *bounds, seed=1), Scenes(10, *bounds, seed=2)
        sampler = BucketSampler(train, recipe.batch_size, recipe.seed)
        self.train_loader = DataLoader(train, batch_sampler=sampler, collate_fn=collate)
        self.valid_loader = DataLoader(valid, batch_size=4, collate_fn=collate)
        self.model = Diarizer(N_MELS)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=recipe.lr)
        self.probe = GradientProbe(recipe.probe_every)
        self.step = 0

    def set_lr(self, epoch: int) -> None:
        done = epoch / max(1, self.recipe.epochs - 1)
        lr = self.recipe.lr + done * (self.recipe.final_lr - self.recipe.lr)
        for group in self.optimizer.param_groups:
            group["lr"] = lr

    def fit_batch(self, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        logits, hidden = self.model(batch["feats"])
        self.probe.watch(hidden, self.step)
        loss = pit_loss(logits, batch["labels"], batch["mask"])
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.recipe.clip)
        self.optimizer.step()
        if self.probe.due(self.step):
            log.info("step %d loss %.3f grad %.4f", self.step, loss.item(), self.probe.norm.item())
        self.step += 1
        return loss.detach()

    @torch.no_grad()
    def validate(self) -> float:
        self.model.eval()
        errors = [
            frame_errors(self.model(batch["feats"])[0], batch["labels"], batch["mask"])
            for batch in self.valid_loader
        ]
        return torch.stack(errors).mean().item()

    def fit(self) -> None:
        for epoch in range(self.recipe.epochs):
            self.model.train()
            self.set_lr(epoch)
            losses = [self.fit_batch(batch) for batch in self.train_loader]
            mean = torch.stack(losses).mean().item()
            log.info("epoch %d train %.3f valid error %.3f", epoch, mean, self.validate())


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    recipe = Recipe()
    torch.manual_seed(recipe.seed)
    Run(recipe).fit()
