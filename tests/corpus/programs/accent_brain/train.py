"""Recipe for accent identification, helped by a phone classifier in the first epochs."""

from functools import partial

import torch
from core import Brain, Stage
from dataio import dataio_prep
from hparams import load_hyperpyyaml
from torch.nn.functional import cross_entropy


class AccentBrain(Brain):
    def compute_forward(self, batch, stage):
        hidden = self.modules.encoder(batch.feats)
        steps = torch.arange(hidden.shape[1]) / hidden.shape[1]
        mask = (steps[None] < batch.lens[:, None]).unsqueeze(-1)
        pooled = (hidden * mask).sum(1) / mask.sum(1)
        accent = self.modules.accent_lin(pooled).log_softmax(-1)
        phones = None
        if stage is not Stage.TRAIN or self.epoch <= self.hparams.number_of_phone_epochs:
            phones = self.modules.phone_lin(hidden)
        return accent, phones

    def compute_objectives(self, predictions, batch, stage):
        accent, phones = predictions
        loss = -accent.gather(1, batch.accent[:, None]).mean()
        if phones is not None:
            loss_phones = cross_entropy(phones.flatten(0, 1), batch.phones.flatten())
            weight = self.hparams.phone_weight
            loss = (1 - weight) * loss + weight * loss_phones
        return loss

    def on_stage_end(self, stage, stage_loss, epoch):
        print(f"epoch {epoch} {stage.name.lower()} loss {stage_loss:.3f}")


if __name__ == "__main__":
    hparams = load_hyperpyyaml()
    torch.manual_seed(hparams.seed)
    data = dataio_prep(hparams)
    brain = AccentBrain(
        modules=hparams.modules,
        opt_class=partial(torch.optim.Adam, lr=hparams.lr),
        hparams=hparams,
    )
    brain.fit(hparams.number_of_epochs, train_set=data, valid_set=data[:1])
