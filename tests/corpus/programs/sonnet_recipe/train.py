import sys
import time
from typing import Any

import torch
from loss import CEWithChunkedOutputLoss
from modules import TransformerDecoder, get_adapter_params, set_trainable_params
from packed import PackedDataset
from torch.utils.data import DataLoader

CONFIG = {
    "model": {"vocab_size": 40, "dim": 16, "layers": 2, "rank": 4, "alpha": 8.0},
    "dataset": {"max_seq_len": 24, "packs": 15, "vocab_size": 40, "seed": 0},
    "batch_size": 4,
    "shuffle": True,
    "epochs": 3,
    "lr": 1e-3,
    "gradient_accumulation_steps": 1,
    "clip_grad_norm": 1.0,
    "compile": True,
    "compile_backend": "aot_eager",
    "log_every_n_steps": 4,
    "seed": 1,
}


class LoRAFinetuneRecipeSingleDevice:
    """LoRA finetuning of a dense transformer on a single device."""

    def __init__(self, cfg: dict[str, Any]) -> None:
        self.cfg = cfg
        self.global_step = 0
        torch.manual_seed(cfg["seed"])

    def setup(self) -> None:
        cfg = self.cfg
        self._model = TransformerDecoder(**cfg["model"])
        set_trainable_params(self._model, get_adapter_params(self._model))
        self._loss_fn = CEWithChunkedOutputLoss()
        if cfg["compile"]:
            self._model.compile(backend=cfg["compile_backend"])
            self._loss_fn = torch.compile(self._loss_fn, backend=cfg["compile_backend"])
        trainable = [p for p in self._model.parameters() if p.requires_grad]
        self._optimizer = torch.optim.AdamW(trainable, lr=cfg["lr"])
        self._dataloader = DataLoader(
            PackedDataset(**cfg["dataset"]),
            batch_size=cfg["batch_size"],
            shuffle=cfg["shuffle"],
        )

    def _loss_step(self, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        labels = batch.pop("labels")
        logits = self._model(**batch)
        return self._loss_fn(logits, labels)

    def train(self) -> None:
        every = self.cfg["log_every_n_steps"]
        for curr_epoch in range(self.cfg["epochs"]):
            for idx, batch in enumerate(self._dataloader):
                t0 = time.perf_counter()
                loss = self._loss_step(batch) / self.cfg["gradient_accumulation_steps"]
                loss.backward()
                if (idx + 1) % self.cfg["gradient_accumulation_steps"] == 0:
                    norm = torch.nn.utils.clip_grad_norm_(
                        self._model.parameters(), max_norm=self.cfg["clip_grad_norm"]
                    )
                    self._optimizer.step()
                    self._optimizer.zero_grad(set_to_none=True)
                    self.global_step += 1
                    if self.global_step % every == 0:
                        print(f"{curr_epoch}|{self.global_step}|{loss.item():.4f} {norm:.3f}")
                        print(f"{time.perf_counter() - t0:.3f} s", file=sys.stderr)


def recipe_main(cfg: dict[str, Any]) -> None:
    recipe = LoRAFinetuneRecipeSingleDevice(cfg)
    recipe.setup()
    recipe.train()


if __name__ == "__main__":
    recipe_main(CONFIG)
