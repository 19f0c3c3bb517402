#!/usr/bin/env python3
"""Recipe: an attentional encoder-decoder that writes down the calls of swallows.

To run it: python train.py
"""

import random

import torch
from dataio import PAD, make_loader, spec_augment
from hparams import hparams
from lobes import AttentionalDecoder, ConvEncoder
from monitor import GradientNorm
from torch import nn


class SwallowBrain:
    def __init__(self, hparams):
        self.hparams = hparams
        self.modules = nn.ModuleDict(
            {
                "encoder": ConvEncoder(hparams["n_mels"], hparams["units"]),
                "decoder": AttentionalDecoder(hparams["n_tokens"], hparams["units"]),
            }
        )
        self.optimizer = torch.optim.Adam(self.modules.parameters(), lr=hparams["lr"])
        self.encoder_norm = GradientNorm()
        self.step = 0

    def compute_forward(self, mels, tokens):
        encoded = self.modules["encoder"](spec_augment(mels))
        if self.step % self.hparams["log_interval"] == 0:
            self.encoder_norm.attach(encoded)
        return self.modules["decoder"](encoded, tokens)

    def compute_objectives(self, predictions, tokens):
        return nn.functional.cross_entropy(
            predictions.flatten(0, 1), tokens.flatten(), ignore_index=PAD
        )

    def fit_batch(self, batch):
        mels, tokens = batch
        predictions = self.compute_forward(mels, tokens)
        loss = self.compute_objectives(predictions, tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(self.modules.parameters(), self.hparams["max_grad_norm"])
        self.optimizer.step()
        self.optimizer.zero_grad()
        if self.step % self.hparams["log_interval"] == 0:
            print(f"  step {self.step}: encoder gradient {self.encoder_norm}")
        self.step += 1
        return loss.detach()

    def on_stage_start(self, epoch):
        for group in self.optimizer.param_groups:
            group["lr"] = self.hparams["lr"] * 0.5**epoch
        self.modules.train()

    def fit(self, loader):
        for epoch in range(self.hparams["epochs"]):
            self.on_stage_start(epoch)
            losses = [self.fit_batch(batch) for batch in loader]
            print(f"epoch {epoch}: loss {torch.stack(losses).mean().item():.3f}")


if __name__ == "__main__":
    random.seed(hparams["seed"])
    torch.manual_seed(hparams["seed"])
    brain = SwallowBrain(hparams)
    brain.fit(make_loader(hparams))
