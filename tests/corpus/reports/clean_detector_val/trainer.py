import torch
from detector import Detector


class Trainer:
    def __init__(self, batch):
        self.batch = batch
        self.model = Detector()
        self.opt = torch.optim.SGD(self.model.parameters(), lr=0.05)
        self.compiled = torch.compile(self.model, backend="aot_eager", dynamic=False)

    def images(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        x = torch.rand(n, 3, 16, 16, generator=g)
        return x, x.mean((1, 2, 3))

    def loss(self, x, y):
        return (self.compiled(x)[:, 0] - y).pow(2).mean()

    def train_one_epoch(self, epoch):
        self.model.train()
        for i in range(3):
            loss = self.loss(*self.images(self.batch, 10 * epoch + i))
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
        return loss.item()

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        losses = [self.loss(*self.images(self.batch * 2, 1000 + i)).item() for i in range(2)]
        return sum(losses) / len(losses)
