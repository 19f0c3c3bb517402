"""Training loop of a head that finds walkers, cyclists and cars on crosswalks."""

import torch
from config import get_cfg
from events import EventStorage
from roi_heads import StandardROIHeads


def build_train_loader(cfg):
    g = torch.Generator().manual_seed(cfg.SEED)
    rows = cfg.DATA.BATCH_SIZE_PER_IMAGE * cfg.DATA.IMS_PER_BATCH
    while True:
        foreground = torch.rand(rows, generator=g) < cfg.DATA.POSITIVE_FRACTION
        classes = torch.randint(0, cfg.MODEL.NUM_CLASSES, (rows,), generator=g)
        classes = torch.where(foreground, classes, torch.full_like(classes, cfg.MODEL.NUM_CLASSES))
        features = torch.randn(rows, cfg.MODEL.POOLED, generator=g)
        features[torch.arange(rows), classes] += 2.0
        deltas = features[:, -4:] * 0.5
        yield features, {"gt_classes": classes, "gt_deltas": deltas}


class HookBase:
    trainer = None

    def before_train(self):
        pass

    def after_step(self):
        pass


class LRWarmup(HookBase):
    def __init__(self, scheduler):
        self.scheduler = scheduler

    def after_step(self):
        self.trainer.storage.put_scalar("lr", self.scheduler.get_last_lr()[0])
        self.scheduler.step()


class PeriodicWriter(HookBase):
    def __init__(self, period):
        self.period = period

    def after_step(self):
        if (self.trainer.iter + 1) % self.period == 0:
            latest = self.trainer.storage.latest()
            print("  ".join(f"{name}: {value:.4g}" for name, value in sorted(latest.items())))


class SimpleTrainer:
    def __init__(self, model, data_loader, optimizer):
        self.model, self.optimizer = model, optimizer
        self._data_loader_iter = iter(data_loader)
        self._hooks, self.iter = [], 0

    def register_hooks(self, hooks):
        for hook in hooks:
            hook.trainer = self
        self._hooks.extend(hooks)

    def train(self, max_iter):
        with EventStorage() as self.storage:
            for hook in self._hooks:
                hook.before_train()
            for self.iter in range(max_iter):
                self.run_step()
                for hook in self._hooks:
                    hook.after_step()
                self.storage.step()

    def run_step(self):
        features, proposals = next(self._data_loader_iter)
        loss_dict = self.model(features, proposals)
        losses = sum(loss_dict.values())
        self.optimizer.zero_grad()
        losses.backward()
        self.storage.put_scalars(total_loss=losses.item())
        self.optimizer.step()


def main():
    cfg = get_cfg()
    torch.manual_seed(cfg.SEED)
    heads = StandardROIHeads(cfg.MODEL.POOLED, cfg.MODEL.FC_DIM, cfg.MODEL.NUM_CLASSES)
    optimizer = torch.optim.SGD(
        heads.parameters(), cfg.SOLVER.BASE_LR, 0.9, weight_decay=cfg.SOLVER.WEIGHT_DECAY
    )
    warmup = torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, 1.0, cfg.SOLVER.WARMUP_ITERS)
    model = torch.compile(heads, backend=cfg.MODEL.COMPILE_BACKEND)
    trainer = SimpleTrainer(model, build_train_loader(cfg), optimizer)
    trainer.register_hooks([LRWarmup(warmup), PeriodicWriter(cfg.PERIOD)])
    trainer.train(cfg.SOLVER.MAX_ITER)


if __name__ == "__main__":
    main()
