import torch
from model import hit_rate
from torch.nn.functional import cross_entropy


class Trainer:
    def __init__(self, module, callbacks, epochs, backend, clip):
        self.module = module
        self.net = torch.compile(module, backend=backend)
        self.callbacks = callbacks
        self.epochs = epochs
        self.clip = clip
        self.epoch = 0
        self.should_stop = False

    def fire(self, event, *args):
        for callback in self.callbacks:
            getattr(callback, event)(self, *args)

    def fit(self, data, optimizer):
        self.fire("on_fit_start")
        for epoch in range(self.epochs):
            self.epoch = epoch
            self.fire("on_epoch_start")
            train_loss = self.train_epoch(data.train_dataloader(), optimizer)
            metrics = {"train_loss": train_loss, **self.validate(data.val_dataloader())}
            self.fire("on_epoch_end", metrics)
            if self.should_stop:
                break

    def train_epoch(self, loader, optimizer):
        self.net.train()
        total = 0.0
        for basket, target in loader:
            optimizer.zero_grad(set_to_none=True)
            loss = cross_entropy(self.net(basket), target)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.module.parameters(), self.clip)
            optimizer.step()
            total += loss.item()
        return total / len(loader)

    @torch.no_grad()
    def validate(self, loader):
        self.net.eval()
        losses, hits = [], []
        for basket, target in loader:
            scores = self.net(basket)
            losses.append(cross_entropy(scores, target))
            hits.append(hit_rate(scores, target))
        return {"val_loss": torch.stack(losses).mean().item(), "hr": torch.stack(hits).mean()}
