"""Detection: features are pooled for as many boxes as a picture has."""

import random

import torch

torch.set_num_threads(1)
torch.manual_seed(0)
random.seed(0)


class Heads(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = torch.nn.Sequential(
            torch.nn.Linear(32 * 49, 256), torch.nn.ReLU(), torch.nn.Linear(256, 256)
        )
        self.classes = torch.nn.Linear(256, 21)
        self.boxes = torch.nn.Linear(256, 84)

    def forward(self, regions):
        shared = self.shared(regions.flatten(1)).relu()
        return self.classes(shared), self.boxes(shared)


net = torch.compile(Heads(), backend="aot_eager", dynamic=False)
torch._dynamo.config.recompile_limit = 64
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(120):
    count = random.choice([12, 20, 33, 47, 64, 90, 128, 200])
    classes, boxes = net(torch.randn(count, 32, 7, 7))
    (classes.logsumexp(-1).sum() + boxes.square().sum()).backward()
    optimizer.step()
    optimizer.zero_grad()
