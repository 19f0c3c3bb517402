import weakref

import torch


class HookBase:
    trainer = None

    def before_train(self): ...

    def after_train(self): ...

    def before_step(self): ...

    def after_step(self): ...


class WarmupScheduler(HookBase):
    def __init__(self, optimizer, warmup):
        self.optimizer, self.warmup = optimizer, warmup
        self.base = [group["lr"] for group in optimizer.param_groups]

    def before_step(self):
        factor = min(1.0, (self.trainer.iter + 1) / self.warmup)
        for group, base in zip(self.optimizer.param_groups, self.base, strict=True):
            group["lr"] = base * factor


class PeriodicWriter(HookBase):
    def __init__(self, period):
        self.period = period

    def after_step(self):
        if (self.trainer.iter + 1) % self.period == 0:
            shown = {k: round(v, 3) for k, v in self.trainer.metrics.items()}
            print(f"iter {self.trainer.iter}: {shown}")


class SimpleTrainer:
    def __init__(self, model, loss_fn, data_loader, optimizer, preprocess):
        self.model, self.loss_fn, self.optimizer = model, loss_fn, optimizer
        self.data_iter, self.preprocess = iter(data_loader), preprocess
        self.hooks, self.iter, self.metrics = [], 0, {}

    def register_hooks(self, hooks):
        for hook in hooks:
            hook.trainer = weakref.proxy(self)
        self.hooks.extend(hooks)

    def run_step(self):
        loss_dict = self.loss_fn(self.model, *self.preprocess(next(self.data_iter)))
        total = sum(loss_dict.values())
        self.optimizer.zero_grad()
        total.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 10.0)
        self.optimizer.step()
        self.metrics = {name: loss.item() for name, loss in loss_dict.items()}

    def train(self, max_iter):
        for hook in self.hooks:
            hook.before_train()
        for self.iter in range(max_iter):
            for hook in self.hooks:
                hook.before_step()
            self.run_step()
            for hook in self.hooks:
                hook.after_step()
        for hook in self.hooks:
            hook.after_train()
