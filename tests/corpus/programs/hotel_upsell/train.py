import torch
from bookings import loaders
from callbacks import Anneal, Warmup
from ranker import Ema, OfferRanker
from settings import CONFIG
from torch.nn.functional import cross_entropy


class Trainer:
    def __init__(self, cfg):
        torch.manual_seed(cfg["seed"])
        self.cfg = cfg
        self.model = OfferRanker(cfg["offers"], cfg["temperature"]["start"])
        self.compiled = torch.compile(self.model, backend=cfg["backend"])
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=cfg["lr"])
        self.ema = Ema(self.model, cfg["ema_decay"])
        self.each_epoch = [Anneal(**cfg["temperature"], epochs=cfg["epochs"])]
        self.each_step = [Warmup(cfg["lr"], cfg["warmup_steps"])]
        self.step = 0

    def fit(self):
        train, test = loaders(self.cfg)
        for epoch in range(self.cfg["epochs"]):
            for callback in self.each_epoch:
                callback(self, epoch)
            smoothing = 0.1 * 0.5**epoch
            for batch, taken in train:
                self.training_step(batch, taken, smoothing)
            print(f"epoch {epoch}: right {self.evaluate(test):.3f} at {self.model.history[-1]}")

    def training_step(self, batch, taken, smoothing):
        self.model.train()
        for callback in self.each_step:
            callback(self, self.step)
        loss = cross_entropy(self.compiled(batch), taken, label_smoothing=smoothing)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.ema.update(self.model, self.step)
        self.model.note(loss.item())
        self.step += 1

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        right = [(self.compiled(b).argmax(-1) == taken).float().mean() for b, taken in loader]
        return torch.stack(right).mean().item()


if __name__ == "__main__":
    Trainer(CONFIG).fit()
