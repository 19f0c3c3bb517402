"""A compiled optimizer step, warmed up, then trained on a schedule."""
import torch
import torch.nn.functional as F
from torch import nn


class Trainer:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.Adam(net.parameters(), lr=torch.tensor(0.01))
        self.compiled_step = torch.compile(self.optimizer.step, backend="eager")
        self.schedule = None

    def train_batch(self, x, y):
        loss = F.mse_loss(self.net(x), y)
        loss.backward()
        self.compiled_step()
        self.optimizer.zero_grad()
        if self.schedule is not None:
            self.schedule.step()
        return loss

    def fit(self, batches):
        self.train_batch(*batches[0])
        self.schedule = torch.optim.lr_scheduler.LinearLR(self.optimizer, total_iters=5)
        for x, y in batches[1:]:
            loss = self.train_batch(x, y)
        return loss.item()


def main():
    torch.manual_seed(34)
    net = nn.Sequential(nn.Linear(4, 10), nn.Tanh(), nn.Linear(10, 1))
    batches = [(x, x.sum(-1, keepdim=True)) for x in torch.randn(8, 16, 4)]
    print(f"loss {Trainer(net).fit(batches):.5f}")


if __name__ == "__main__":
    main()
