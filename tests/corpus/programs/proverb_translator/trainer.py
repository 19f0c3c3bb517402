import logging

import torch

logger = logging.getLogger("trainer")


class GradientLog:
    """Remembers the largest gradients that a module's output had."""

    def __init__(self, module, name, threshold=1e4):
        self.name, self.threshold = name, threshold
        self.overflows, self.largest = 0, 0.0
        module.register_forward_hook(self.fhook_fn)

    def fhook_fn(self, module, inputs, output):
        if output.requires_grad:
            output.register_hook(self.bhook_fn)

    def bhook_fn(self, grad):
        norm = grad.norm().item()
        self.largest = max(self.largest, norm)
        if norm > self.threshold:
            self.overflows += 1
            logger.warning("gradient of %s is %.1f", self.name, norm)


class Trainer:
    def __init__(self, cfg, model, criterion):
        self.cfg, self.model, self.criterion = cfg, model, criterion
        self.optimizer = torch.optim.Adam(model.parameters(), lr=cfg["optimization"]["lr"])
        self.num_updates = 0
        self.detectors = []
        if cfg["common"]["log_gradients"]:
            self.detectors = [
                GradientLog(module, name)
                for name, module in model.named_modules()
                if isinstance(module, torch.nn.Linear)
            ]

    def train_step(self, samples):
        self.model.train()
        self.optimizer.zero_grad()
        total, sample_size = 0.0, 0
        bf16 = self.num_updates >= self.cfg["common"]["fp32_updates"]
        for sample in samples:
            with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
                loss, ntokens, logs = self.criterion(self.model, sample)
            loss.backward()
            total, sample_size = total + logs["loss"].item(), sample_size + ntokens
        for p in self.model.parameters():
            p.grad.div_(sample_size)
        torch.nn.utils.clip_grad_norm_(
            self.model.parameters(), self.cfg["optimization"]["clip_norm"]
        )
        self.optimizer.step()
        self.num_updates += 1
        return total / sample_size

    @torch.no_grad()
    def valid_step(self, sample):
        self.model.eval()
        _, ntokens, logs = self.criterion(self.model, sample)
        return (logs["nll_loss"] / ntokens).item()
