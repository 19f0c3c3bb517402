import torch


class HookBase:
    trainer = None

    def before_step(self):
        pass

    def after_step(self):
        pass


class LRScheduler(HookBase):
    def __init__(self, scheduler):
        self.scheduler = scheduler

    def after_step(self):
        self.scheduler.step()


class EdgeAnnealing(HookBase):
    """Brings the weight of the edges down in steps."""

    def __init__(self, cfg):
        self.edge, self.max_iter = cfg.EDGE, cfg.SOLVER.MAX_ITER

    def before_step(self):
        it = self.trainer.iter
        if it % self.edge.EVERY == 0:
            done = it / self.max_iter
            weight = self.edge.FROM + done * (self.edge.TO - self.edge.FROM)
            self.trainer.model.sem_seg_head.edge_weight = weight


class EvalHook(HookBase):
    def __init__(self, period, batches):
        self.period, self.batches = period, batches

    def after_step(self):
        if (self.trainer.iter + 1) % self.period:
            return
        compiled = self.trainer.compiled
        compiled.eval()
        with torch.no_grad():
            right = [(compiled(b) == b["sem_seg"]).float().mean().item() for b in self.batches]
        compiled.train()
        self.trainer.storage.put_scalar("eval/accuracy", sum(right) / len(right))


class PeriodicWriter(HookBase):
    def __init__(self, period=8):
        self.period = period

    def after_step(self):
        if (self.trainer.iter + 1) % self.period == 0:
            s = self.trainer.storage
            names = ("total_loss", "seg/accuracy", "eval/accuracy")
            print(f"iter {s.iter + 1}: " + "  ".join(f"{n} {s.latest(n):.3f}" for n in names))
