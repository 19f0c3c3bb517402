"""Finetunes a pretrained backbone on songs of warblers."""

import torch
from callbacks import BackboneFinetuning, PrintLoss
from data import song_loader
from torch import nn
from torch.nn import functional as F
from trainer import Trainer


class SongClassifier(nn.Module):
    def __init__(self, bands=16, width=24, species=5):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv1d(bands, width, 5), nn.ReLU(), nn.Conv1d(width, width, 3), nn.ReLU()
        )
        self.head = nn.Linear(width, species)

    def forward(self, spectrogram):
        return self.head(self.backbone(spectrogram).amax(-1))

    def training_step(self, batch, index):
        return F.cross_entropy(self(batch["spectrogram"]), batch["species"])

    def configure_optimizers(self):
        return torch.optim.AdamW(self.head.parameters(), lr=1e-2)


def main():
    torch.manual_seed(5)
    trainer = Trainer(max_epochs=3, callbacks=[BackboneFinetuning(unfreeze_at=1), PrintLoss()])
    trainer.fit(SongClassifier(), song_loader())


if __name__ == "__main__":
    main()
