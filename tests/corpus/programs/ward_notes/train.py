"""Fine-tunes the urgency model on notes of one ward."""

import json

import torch
from data import NotesLoader
from model import UrgencyModel
from trainer import Trainer

CONFIG = {
    "backend": "aot_eager",
    "batch_size": 16,
    "max_len": 20,
    "lr": 5e-3,
    "epochs": 6,
    "frozen_epochs": 2,
    "fp32_epochs": 4,
}

if __name__ == "__main__":
    torch.manual_seed(1)
    loader = NotesLoader(70, CONFIG["batch_size"], CONFIG["max_len"], vocab=50, seed=4)
    trainer = Trainer(UrgencyModel(), CONFIG)
    trainer.fit(loader)
    print(json.dumps([round(entry["loss"], 4) for entry in trainer.history]))
