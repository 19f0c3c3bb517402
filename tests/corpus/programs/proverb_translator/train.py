"""Train a new model."""

import criterions  # noqa: F401
import models  # noqa: F401
import torch
from registry import CRITERION_REGISTRY, MODEL_REGISTRY
from trainer import Trainer

cfg = {
    "common": {"seed": 5, "fp32_updates": 4, "log_gradients": True, "log_interval": 4},
    "model": {"_name": "conv_s2s_tiny", "embed_dim": 16},
    "criterion": {"_name": "label_smoothed_cross_entropy", "label_smoothing": 0.1},
    "optimization": {"lr": 3e-3, "clip_norm": 2.0, "max_update": 12, "update_freq": [1]},
}


class ProverbTask:
    vocab, src_len, tgt_len = 24, 9, 8

    def __init__(self, seed):
        self.generator = torch.Generator().manual_seed(seed)

    def sample(self, size=6):
        src = torch.randint(2, self.vocab, (size, self.src_len), generator=self.generator)
        keep = torch.randint(5, self.src_len + 1, (size, 1), generator=self.generator)
        src = torch.where(torch.arange(self.src_len) < keep, src, torch.zeros_like(src))
        target = src.flip(1)[:, : self.tgt_len]
        prev = torch.cat([torch.ones(size, 1, dtype=torch.long), target[:, :-1]], dim=1)
        net_input = {"src_tokens": src, "prev_output_tokens": prev}
        return {"net_input": net_input, "target": target, "ntokens": int(target.ne(0).sum())}


def main(cfg):
    torch.manual_seed(cfg["common"]["seed"])
    task = ProverbTask(cfg["common"]["seed"])
    model = MODEL_REGISTRY[cfg["model"]["_name"]].build_model(cfg, task)
    criterion = CRITERION_REGISTRY[cfg["criterion"]["_name"]](cfg["criterion"]["label_smoothing"])
    trainer = Trainer(cfg, model, criterion)
    valid = task.sample()
    while trainer.num_updates < cfg["optimization"]["max_update"]:
        samples = [task.sample() for _ in range(cfg["optimization"]["update_freq"][0])]
        loss = trainer.train_step(samples)
        if trainer.num_updates % cfg["common"]["log_interval"] == 0:
            print(
                f"{trainer.num_updates} | loss {loss:.3f} | valid {trainer.valid_step(valid):.3f}"
            )
    for detector in trainer.detectors:
        print(f"{detector.name}: largest {detector.largest:.3f}, {detector.overflows} overflows")


if __name__ == "__main__":
    main(cfg)
