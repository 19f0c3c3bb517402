"""Speech recognition of sermons: a small encoder with CTC."""

import logging
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from encoder import SpeechEncoder

logging.basicConfig(format="%(levelname)s | %(name)s | %(message)s", level="INFO")
logger = logging.getLogger("train")


@dataclass
class Config:
    seed: int = 3
    encoder_layers: int = 2
    encoder_embed_dim: int = 16
    dropout: float = 0.1
    layerdrop: float = 0.3
    mask_prob: float = 0.1
    feature_grad_mult: float = 0.1
    feature_grad_warmup: int = 3
    max_update: int = 7
    lr: float = 2e-3
    clip_norm: float = 5.0


class Sermons:
    vocab = 9

    def __init__(self, count, seed, samples=168, symbols=4):
        generator = torch.Generator().manual_seed(seed)
        self.wav = torch.randn(count, samples, generator=generator)
        self.text = torch.randint(1, self.vocab, (count, symbols), generator=generator)

    def batches(self, size):
        while True:
            for rows in torch.randperm(len(self.wav)).split(size):
                yield self.wav[rows], self.text[rows]


def ctc(lprobs, text):
    frames = torch.full((len(text),), lprobs.size(1))
    lengths = torch.full((len(text),), text.size(1))
    return F.ctc_loss(lprobs.transpose(0, 1), text, frames, lengths, zero_infinity=True)


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.model = SpeechEncoder(cfg, Sermons.vocab)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=cfg.lr)
        self.num_updates = 0

    def train_step(self, wav, text):
        self.model.train()
        self.model.set_num_updates(self.num_updates)
        self.optimizer.zero_grad()
        loss = ctc(self.model(wav), text)
        loss.backward()
        gnorm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.cfg.clip_norm)
        self.optimizer.step()
        self.num_updates += 1
        return {"loss": loss.item(), "gnorm": gnorm.item()}

    @torch.no_grad()
    def valid(self, data):
        self.model.eval()
        return ctc(self.model(data.wav), data.text).item()


def main(cfg):
    torch.manual_seed(cfg.seed)
    trainer = Trainer(cfg)
    for wav, text in Sermons(32, seed=1).batches(8):
        log = trainer.train_step(wav, text)
        if trainer.num_updates % 3 == 0:
            logger.info("%d | %s", trainer.num_updates, log)
        if trainer.num_updates >= cfg.max_update:
            break
    logger.info("valid %.3f", trainer.valid(Sermons(5, seed=2)))


if __name__ == "__main__":
    main(Config())
