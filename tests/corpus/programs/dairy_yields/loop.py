import logging

import torch
import torch.nn.functional as F
from buffers import FlatGradients
from herds import windows

log = logging.getLogger("dairy")


class Loop:
    def __init__(self, model, optimizer, window=7, clip=1.0, report_every=3):
        self.model = model
        self.optimizer = optimizer
        self.gradients = FlatGradients(model.parameters())
        self.window = window
        self.clip = clip
        self.report_every = report_every
        self.seen = 0
        self.by_day = torch.zeros(window)

    def note(self, grad):
        self.by_day.copy_(grad.norm(dim=-1))

    def herd_step(self, record):
        """One update for one herd: its windows in their order, the memory carried along."""
        state = self.model.initial_state()
        report = self.seen % self.report_every == 0
        self.gradients.zero()
        total = 0.0
        for window in windows(record, self.window):
            milk, hidden = self.model(window["numbers"], window["categories"], state)
            if report:
                hidden.register_hook(self.note)
            loss = F.huber_loss(milk, window["milk"], delta=1.0)
            loss.backward(retain_graph=True)
            state = hidden[-1]
            total += loss.item()
        norm = self.gradients.clip(self.clip)
        self.optimizer.step()
        self.seen += 1
        if report:
            by_day = [round(value, 4) for value in self.by_day.tolist()]
            log.info("herd %d: gradient %.3f, by day %s", self.seen, norm, by_day)
        return total

    def epoch(self, herds):
        self.model.train()
        return sum(self.herd_step(record) for record in herds) / len(herds)
