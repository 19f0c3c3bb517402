import logging

import torch
from config import TrainConfig
from data import build_dataloaders
from looper import Engine
from model import LoadForecaster


def main(cfg: TrainConfig) -> None:
    logging.basicConfig(level=logging.WARNING)
    torch.manual_seed(cfg.seed)
    train_dl, val_dl = build_dataloaders(cfg)
    model = torch.compile(LoadForecaster(cfg), backend=cfg.backend)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=cfg.lr, total_steps=cfg.epochs * len(train_dl)
    )
    engine = Engine(model, optimizer, scheduler)
    for epoch in range(cfg.epochs):
        loss = engine.train_one_epoch(train_dl, epoch)
        mae = engine.evaluate(val_dl)
        print(f"epoch {epoch}: train {loss:.4f} val mae {mae:.4f}")


if __name__ == "__main__":
    main(TrainConfig())
