#!/usr/bin/env python3
"""Recipe for telling the age of a fish from its otolith.

> python train.py
"""

import torch
from core import Brain, Stage
from rings import dataset
from torch import nn


class AgeBrain(Brain):
    def compute_forward(self, batch, stage):
        sig = batch.sig
        if stage == Stage.TRAIN:
            sig = sig + self.hparams.noise * torch.randn_like(sig)
        feats = self.modules.encoder(sig.unsqueeze(1))
        return self.modules.classifier(feats.mean(-1))

    def compute_objectives(self, predictions, batch, stage):
        loss = nn.functional.cross_entropy(predictions, batch.years)
        if stage != Stage.TRAIN:
            self.error_stats.append((predictions.argmax(-1) != batch.years).float().mean())
        return loss

    def on_stage_start(self, stage, epoch=None):
        if stage != Stage.TRAIN:
            self.error_stats = []

    def on_stage_end(self, stage, stage_loss, epoch=None):
        if stage == Stage.TRAIN:
            self.train_loss = stage_loss
            return
        error = torch.stack(self.error_stats).mean().item()
        if stage == Stage.VALID:
            self.scheduler.step(stage_loss)
            lr = self.optimizer.param_groups[0]["lr"]
            print(
                f"epoch: {epoch}, lr: {lr:.1e} - train loss: {self.train_loss:.3f} - "
                f"valid loss: {stage_loss:.3f}, valid error: {error:.2f}"
            )
        else:
            print(f"test loss: {stage_loss:.3f}, test error: {error:.2f}")


hparams = {"noise": 0.1, "lr": 5e-3, "max_grad_norm": 5.0, "epochs": 3, "seed": 1986}


def main():
    torch.manual_seed(hparams["seed"])
    modules = {
        "encoder": nn.Sequential(
            nn.Conv1d(1, 12, 5, padding=2), nn.LeakyReLU(), nn.Conv1d(12, 12, 5), nn.LeakyReLU()
        ),
        "classifier": nn.Linear(12, 5),
    }
    brain = AgeBrain(
        modules,
        opt_class=lambda params: torch.optim.Adam(params, hparams["lr"]),
        hparams=hparams,
        compile_backend="aot_eager",
    )
    brain.scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(brain.optimizer, patience=0)
    brain.fit(range(hparams["epochs"]), dataset("train", 6), dataset("valid", 3))
    brain.evaluate(dataset("test", 3))


if __name__ == "__main__":
    main()
