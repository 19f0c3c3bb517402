import sys

import torch
import torch.nn.functional as F
from config import get_cfg
from events import EventStorage
from hooks import EdgeAnnealing, EvalHook, LRScheduler, PeriodicWriter
from modeling import build_model


def scan(n, size, classes, generator):
    """Lidar scans of a cave: blobs of rock, water and air."""
    coarse = torch.randint(0, classes, (n, 1, 4, 4), generator=generator).float()
    target = F.interpolate(coarse, size=(size, size)).squeeze(1)
    image = target / classes + 0.1 * torch.randn(n, size, size, generator=generator)
    return image.unsqueeze(1), target.long()


def build_loader(cfg, batch, seed, turn=False):
    generator = torch.Generator().manual_seed(seed)
    out = cfg.INPUT.SIZE
    while True:
        pick = int(torch.randint(len(cfg.INPUT.SCALES), (), generator=generator))
        image, target = scan(batch, cfg.INPUT.SCALES[pick], cfg.MODEL.CLASSES, generator)
        image = F.interpolate(image, size=(out, out), mode="bilinear")
        target = F.interpolate(target[:, None].float(), size=(out, out)).squeeze(1).long()
        if turn:  # there is no up in a cave
            k = int(torch.randint(4, (), generator=generator))
            image, target = image.rot90(k, (-2, -1)), target.rot90(k, (-2, -1))
        yield {"image": image, "sem_seg": target}


class DefaultTrainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.model = build_model(cfg)
        self.compiled = torch.compile(self.model, backend="aot_eager")
        self.optimizer = torch.optim.SGD(self.model.parameters(), cfg.SOLVER.BASE_LR, momentum=0.9)
        self.loader = build_loader(cfg, cfg.SOLVER.IMS_PER_BATCH, cfg.SEED, turn=True)
        test = build_loader(cfg, cfg.SOLVER.IMS_PER_BATCH, cfg.SEED + 1)
        held = [next(test) for _ in range(cfg.TEST.IMAGES // cfg.SOLVER.IMS_PER_BATCH)]
        schedule = torch.optim.lr_scheduler.MultiStepLR(self.optimizer, cfg.SOLVER.STEPS)
        self.hooks = [LRScheduler(schedule), EdgeAnnealing(cfg)]
        self.hooks += [EvalHook(cfg.TEST.EVAL_PERIOD, held), PeriodicWriter()]
        for hook in self.hooks:
            hook.trainer = self

    def run_step(self):
        losses = sum(self.compiled(next(self.loader)).values())
        self.optimizer.zero_grad()
        losses.backward()
        self.optimizer.step()
        self.storage.put_scalar("total_loss", losses.detach())

    def train(self):
        with EventStorage() as self.storage:
            for iteration in range(self.cfg.SOLVER.MAX_ITER):
                self.iter = self.storage.iter = iteration
                for hook in self.hooks:
                    hook.before_step()
                self.run_step()
                for hook in self.hooks:
                    hook.after_step()


def setup(opts):
    cfg = get_cfg()
    cfg.merge_from_list(opts)
    torch.manual_seed(cfg.SEED)
    return cfg


if __name__ == "__main__":
    DefaultTrainer(setup(sys.argv[1:])).train()
