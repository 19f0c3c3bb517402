"""Self-supervised pre-training of a small vision tower under DistributedDataParallel."""
import os
import tempfile

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from tower import Tower, TowerConfig


def start_group():
    folder = tempfile.mkdtemp()
    target = "file://" + os.path.join(folder, "meet")
    dist.init_process_group("gloo", init_method=target, rank=0, world_size=1)


class Student:
    def __init__(self, config):
        self.tower = Tower(config)
        self.parallel = DistributedDataParallel(self.tower)
        self.model = torch.compile(self.parallel, backend="aot_eager")
        self.optimizer = torch.optim.SGD(self.tower.parameters(), lr=0.05)

    def learn(self, views, target):
        out = self.model(views)
        loss = (out - target).square().mean()
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.item()


def main():
    torch.manual_seed(21)
    start_group()
    student = Student(TowerConfig())
    total = 0.0
    for step in range(3):
        views = torch.randn(6, 512)
        loss = student.learn(views, torch.zeros(6, 512))
        total += loss
        print("step %d" % step)
    print("FINAL finite %s" % (total < 1e6))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
