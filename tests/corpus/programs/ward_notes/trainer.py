import contextlib
import time

import torch
import torch.nn.functional as F


class Trainer:
    def __init__(self, model, config):
        self.model = model
        self.config = config
        self.device = torch.device("cpu")
        self.forward = torch.compile(model, backend=config["backend"])
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=config["lr"])
        self.history = []

    def precision(self, epoch):
        """Full precision while the head settles."""
        if epoch < self.config["fp32_epochs"]:
            return contextlib.nullcontext()
        return torch.autocast(self.device.type, dtype=torch.bfloat16)

    def fit(self, loader):
        for epoch in range(self.config["epochs"]):
            self.model.freeze_encoder(epoch < self.config["frozen_epochs"])
            began, total = time.time(), 0.0
            for batch in loader:
                batch = batch.to(self.device)
                with self.precision(epoch):
                    guess = self.forward(batch)
                loss = F.mse_loss(guess.float(), batch.urgency)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                total += loss.item()
            self.history.append({"loss": total / len(loader), "s": time.time() - began})
