import torch
import torch.nn.functional as F
from model import thaw


class Learner:
    def __init__(self, model, loaders, lr):
        self.model = model
        self.train_dl, self.valid_dl = loaders
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.recorder = []

    def one_batch(self, x, y):
        loss = F.cross_entropy(self.model(x), y)
        loss.backward()
        self.opt.step()
        self.opt.zero_grad()
        return loss.item()

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        correct = torch.cat([self.model(x).argmax(1) == y for x, y in self.valid_dl])
        return correct.float().mean().item()

    def fit(self, epochs):
        for epoch in range(epochs):
            thaw(self.model, depth=epoch + 1)
            self.model.train()
            losses = [self.one_batch(x, y) for x, y in self.train_dl]
            self.recorder.append((sum(losses) / len(losses), self.validate()))
