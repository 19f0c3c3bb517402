import copy

import numpy as np
import torch
from gru4rec import GRU4Rec
from losses import LOSSES
from sessions import SessionParallel, simulate

CONFIG = {
    "num_items": 40,
    "batch_size": 8,
    "window": 3,
    "negatives": 12,
    "epochs": 2,
    "lr": 0.05,
    "losses": {"xe": 1.0, "bpr-max": 0.5, "top1": 0.2},
    "ramp": 10,
    "ema": 0.9,
    "seed": 21,
}


class Trainer:
    def __init__(self, config):
        self.config = config
        rng = np.random.default_rng(config["seed"])
        sessions = simulate(config["num_items"], 70, rng)
        self.train_set, self.test_set = sessions[:54], sessions[54:]
        counts = np.bincount(np.concatenate(self.train_set), minlength=config["num_items"])
        self.popularity = torch.tensor(counts + 1.0) ** 0.75

        self.model = GRU4Rec(config["num_items"])
        self.averaged = copy.deepcopy(self.model).requires_grad_(False)
        self.model.item_emb.weight.register_hook(lambda grad: grad.clamp(-0.5, 0.5))
        self.optimizer = torch.optim.Adagrad(self.model.parameters(), lr=config["lr"])
        self.steps = 0
        self.total = 0.0

    def weights(self):
        """The pairwise losses come in gradually."""
        ramp = min(1.0, self.steps / self.config["ramp"])
        return {
            name: weight if name == "xe" else ramp * weight
            for name, weight in self.config["losses"].items()
        }

    def loss(self, items, targets, resets):
        outputs = self.model(items, resets)
        sampled = torch.multinomial(self.popularity, self.config["negatives"])
        positive = self.model.score(outputs, targets.flatten())
        index = torch.arange(targets.numel()).view_as(targets).unsqueeze(-1)
        positive = positive.gather(-1, index)
        negative = self.model.score(outputs, sampled)
        loss = 0.0
        for name, weight in self.weights().items():
            loss = loss + weight * LOSSES[name](positive, negative)
        return loss

    @torch.no_grad()
    def average(self):
        decay = min(self.config["ema"], (1 + self.steps) / (10 + self.steps))
        pairs = zip(self.averaged.parameters(), self.model.parameters(), strict=True)
        for mine, theirs in pairs:
            mine.lerp_(theirs, 1 - decay)

    def epoch(self):
        batches = SessionParallel(self.train_set, self.config["batch_size"], self.config["window"])
        self.model.train()
        self.model.start(self.config["batch_size"])
        for items, targets, resets in batches:
            loss = self.loss(items, targets, resets)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.average()
            self.steps += 1
            self.total += loss.item()

    @torch.no_grad()
    def recall(self, k=10):
        self.averaged.eval()
        hits = []
        for session in self.test_set:
            self.averaged.start(1)
            items = torch.tensor(session[:-1]).unsqueeze(-1)
            resets = torch.zeros_like(items, dtype=torch.bool)
            outputs = self.averaged(items, resets)
            scores = self.averaged.score(outputs[-1, 0], torch.arange(self.config["num_items"]))
            hits.append(int(session[-1]) in scores.topk(k).indices.tolist())
        return sum(hits) / len(hits)


def main():
    torch.manual_seed(CONFIG["seed"])
    np.random.seed(CONFIG["seed"])
    trainer = Trainer(CONFIG)
    for epoch in range(CONFIG["epochs"]):
        for group in trainer.optimizer.param_groups:
            group["lr"] = CONFIG["lr"] * 0.8**epoch
        trainer.epoch()
        mean = trainer.total / trainer.steps
        print(f"epoch {epoch}: loss {mean:.3f}, recall@10 {trainer.recall():.2f}")


if __name__ == "__main__":
    main()
