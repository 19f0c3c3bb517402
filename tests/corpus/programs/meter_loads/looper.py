import logging

import torch
from torch.nn.functional import l1_loss, smooth_l1_loss

logger = logging.getLogger(__name__)


class Engine:
    def __init__(self, model, optimizer, scheduler) -> None:
        self.model = model
        self.optimizer = optimizer
        self.scheduler = scheduler
        self.global_step = 0

    def train_one_epoch(self, loader, epoch: int) -> float:
        self.model.train()
        running = torch.zeros(())
        for batch in loader:
            target = batch.pop("load")
            loss = smooth_l1_loss(self.model(batch), target)
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            self.scheduler.step()
            self.global_step += 1
            running += loss.detach()
            if self.global_step % 2 == 0:
                logger.info("step %d loss %.4f", self.global_step, loss.item())
        return (running / len(loader)).item()

    @torch.no_grad()
    def evaluate(self, loader) -> float:
        self.model.eval()
        errors = []
        for batch in loader:
            target = batch.pop("load")
            errors.append(l1_loss(self.model(batch), target).item())
        return sum(errors) / len(errors)
