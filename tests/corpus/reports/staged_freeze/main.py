"""Posterior network trained in stages: the reduction layers thaw one by one."""
import torch

from stages import PLAN, apply_stage
from flow import FlowNet


class Pipeline:
    def __init__(self, seed):
        torch.manual_seed(seed)
        self.net = FlowNet(width=12, groups=5)
        self.compiled = torch.compile(self.net, backend="eager")

    def optimizer_for(self, stage):
        active = [p for p in self.net.parameters() if p.requires_grad]
        return torch.optim.SGD(active, lr=stage.rate)

    def run_stage(self, stage):
        apply_stage(self.net, stage)
        optimizer = self.optimizer_for(stage)
        loss = None
        for _ in range(stage.steps):
            x = torch.randn(10, 12)
            loss = self.compiled(x).square().mean()
            loss.backward()
            optimizer.step()
            self.net.zero_grad()
        return loss.item()


def main():
    pipeline = Pipeline(seed=4)
    total = 0.0
    for number, stage in enumerate(PLAN):
        loss = pipeline.run_stage(stage)
        total += loss
        print("stage %d thawed %d loss %.6f" % (number, stage.thawed, loss))
    print("FINAL %.6f" % total)


if __name__ == "__main__":
    main()
