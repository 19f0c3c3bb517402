"""A trainer with hooks, in the manner of the larger detection frameworks."""

from collections import deque

import torch


class HookBase:
    trainer = None

    def before_step(self):
        pass

    def after_step(self):
        pass


class Trainer:
    def __init__(self, cfg, model, loader):
        self.cfg, self.model, self.loader = cfg, model, iter(loader)
        self.optimizer = torch.optim.SGD(
            model.parameters(), lr=cfg.solver.base_lr, momentum=cfg.solver.momentum
        )
        self.hooks, self.iter, self.storage = [], 0, {}

    def register_hooks(self, *hooks):
        for hook in hooks:
            hook.trainer = self
            self.hooks.append(hook)

    def train(self):
        self.model.train()
        while self.iter < self.cfg.solver.max_iter:
            for hook in self.hooks:
                hook.before_step()
            self.run_step()
            for hook in self.hooks:
                hook.after_step()
            self.iter += 1

    def run_step(self):
        loss_dict, self.storage = self.model(next(self.loader))
        losses = sum(loss_dict.values())
        self.optimizer.zero_grad()
        losses.backward()
        self.optimizer.step()
        self.storage["total_loss"] = losses.detach()


class WarmupLR(HookBase):
    def before_step(self):
        solver = self.trainer.cfg.solver
        factor = min(1.0, (self.trainer.iter + 1) / solver.warmup_iters)
        for group in self.trainer.optimizer.param_groups:
            group["lr"] = solver.base_lr * factor


class ThawBackbone(HookBase):
    def before_step(self):
        if self.trainer.iter == self.trainer.cfg.backbone.unfreeze_iter:
            self.trainer.model.backbone.freeze(0)


class DynamicTraining(HookBase):
    """Follow the proposals as they get better: a higher threshold, a sharper loss."""

    def __init__(self, cfg):
        self.cfg = cfg
        self.ious, self.errors = deque(maxlen=cfg.period), deque(maxlen=cfg.period)

    def after_step(self):
        trainer, cfg = self.trainer, self.cfg
        self.ious.append(trainer.storage["iou"].topk(cfg.top_k, dim=1).values.mean())
        self.errors.append(trainer.storage["error"].amin(dim=1).median())
        if (trainer.iter + 1) % cfg.period:
            return
        model = trainer.model
        model.iou_threshold = max(cfg.initial_iou, torch.stack(tuple(self.ious)).mean().item())
        model.box_loss.beta = min(cfg.max_beta, torch.stack(tuple(self.errors)).median().item())


class PeriodicWriter(HookBase):
    def __init__(self, period=5):
        self.period = period

    def after_step(self):
        if self.trainer.iter % self.period == 0:
            model = self.trainer.model
            print(
                f"iter {self.trainer.iter:3d}  loss {self.trainer.storage['total_loss'].item():.3f}"
                f"  iou>={model.iou_threshold:.2f}"
            )
