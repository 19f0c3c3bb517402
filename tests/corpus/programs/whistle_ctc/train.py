"""CTC training of a small encoder."""

import functools
import itertools

import torch
from corpus import LETTERS, Whistles, collate
from encoder import ConformerLite
from nets_utils import SpecAugment
from torch import nn
from torch.utils.data import DataLoader

HPARAMS = {
    "seed": 986,
    "n_mels": 20,
    "batch_size": 6,
    "epochs": 2,
    "lr": 4e-3,
    "grad_clip": 5.0,
    "warmup": 4,
}


def greedy(log_probs, lengths):
    """Best path, with repetitions and blanks taken out."""
    best = log_probs.argmax(-1)
    texts = []
    for row, length in zip(best, lengths.tolist(), strict=True):
        path = [key for key, _ in itertools.groupby(row[:length].tolist())]
        texts.append("".join(LETTERS[i] for i in path if i))
    return texts


class ASR:
    def __init__(self, hparams):
        self.hparams = hparams
        self.encoder = ConformerLite(hparams["n_mels"], len(LETTERS))
        self.augment = SpecAugment(generator=torch.Generator().manual_seed(hparams["seed"]))
        self.ctc_loss = nn.CTCLoss(zero_infinity=True)
        self.optimizer = torch.optim.Adam(self.encoder.parameters(), lr=hparams["lr"])
        self.scheduler = torch.optim.lr_scheduler.LambdaLR(
            self.optimizer, functools.partial(self.noam, hparams["warmup"])
        )
        self.compute_forward = torch.compile(self.encoder, backend="eager")

    @staticmethod
    def noam(warmup, step):
        return min((step + 1) ** -0.5, (step + 1) * warmup**-1.5) * warmup**0.5

    def fit_batch(self, batch):
        mels, lengths, targets, target_lengths = batch
        log_probs, lengths = self.compute_forward(self.augment(mels), lengths)
        loss = self.ctc_loss(log_probs.transpose(0, 1), targets, lengths, target_lengths)
        loss.backward()
        if torch.isfinite(loss):
            nn.utils.clip_grad_norm_(self.encoder.parameters(), self.hparams["grad_clip"])
            self.optimizer.step()
        self.optimizer.zero_grad()
        self.scheduler.step()
        return loss.detach(), greedy(log_probs.detach(), lengths)

    def fit(self, loader):
        for epoch in range(self.hparams["epochs"]):
            average, hypotheses = 0.0, []
            for step, batch in enumerate(loader, start=1):
                loss, texts = self.fit_batch(batch)
                average += (float(loss) - average) / step
                hypotheses += texts
            print(f"epoch {epoch} loss {average:.3f} e.g. {hypotheses[-1]!r}")


if __name__ == "__main__":
    torch.manual_seed(HPARAMS["seed"])
    train = DataLoader(
        Whistles(36), HPARAMS["batch_size"], shuffle=True, collate_fn=collate, drop_last=True
    )
    ASR(HPARAMS).fit(train)
