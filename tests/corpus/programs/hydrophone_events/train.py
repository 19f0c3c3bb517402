"""Sound events under water."""

from functools import partial

import torch
from brain import TRAIN, VALID, Brain, NewBob
from data import make_loaders
from hparams import hparams
from modules import EventNet
from torch.nn import functional as F


class EventBrain(Brain):
    def compute_forward(self, batch, stage):
        wavs, _ = batch
        return self.compiled(wavs)

    def compute_objectives(self, predictions, batch, stage):
        smoothing = self.hparams["label_smoothing"] if stage == TRAIN else 0.0
        if stage == VALID:
            self.correct += (predictions.argmax(-1) == batch[1]).sum().item()
        return F.cross_entropy(predictions, batch[1], label_smoothing=smoothing)

    def on_stage_start(self, stage, epoch):
        self.correct = 0
        if stage == TRAIN:
            growth = self.hparams["freq_mask_growth"] * (epoch - 1)
            self.module.augment.width = self.hparams["freq_mask_start"] + growth

    def on_stage_end(self, stage, loss, epoch):
        if stage == TRAIN:
            self.train_loss = loss
            return
        lr = self.hparams["annealer"](loss)
        for group in self.optimizer.param_groups:
            group["lr"] = lr
        accuracy = self.correct / self.hparams["n_valid"]
        print(f"epoch {epoch}, lr {lr:.2e} - train loss: {self.train_loss:.3f}", end=" - ")
        print(f"valid loss: {loss:.3f}, valid accuracy: {accuracy:.2f}")


if __name__ == "__main__":
    torch.manual_seed(hparams["seed"])
    train_set, valid_set = make_loaders(hparams)
    hparams["annealer"] = NewBob(
        hparams["lr"], hparams["annealing_factor"], hparams["improvement_threshold"]
    )
    net = EventNet(
        hparams["n_fft"],
        hparams["hop"],
        hparams["channels"],
        len(hparams["labels"]),
        hparams["freq_mask_start"],
    )
    brain = EventBrain(net, partial(torch.optim.Adam, lr=hparams["lr"]), hparams)
    brain.fit(hparams["number_of_epochs"], train_set, valid_set)
