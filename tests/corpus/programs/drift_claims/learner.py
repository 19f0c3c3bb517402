"""Dark experience replay, with a pull towards what earlier quarters found important."""

import copy
import logging
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from memory import Reservoir
from net import ClaimNet
from stream import Quarter, loader

log = logging.getLogger("learner")


@dataclass
class Options:
    lr: float = 5e-3
    batch_size: int = 16
    replayed: int = 8
    epochs: int = 3
    distil: float = 0.5
    pull: float = 20.0
    clip_after: int = 5
    backend: str = "aot_eager"


class Learner:
    def __init__(self, net: ClaimNet, options: Options) -> None:
        self.net, self.options = net, options
        self.compiled = torch.compile(net, backend=options.backend)
        self.old = copy.deepcopy(net).requires_grad_(False).eval()
        self.importance = [torch.zeros_like(p) for p in net.parameters()]
        self.optimizer = torch.optim.Adam(net.parameters(), lr=options.lr)
        self.memory = Reservoir(40)
        self.steps = 0
        self.head_norm = torch.zeros(())
        net.head.weight.register_hook(self._watch)

    def _watch(self, grad):
        self.head_norm.copy_(grad.norm())
        return grad

    def distil_weight(self, quarter: int) -> float:
        """The more classes are old, the more the old network counts; none at first."""
        return self.options.distil * quarter / (quarter + 1)

    def consolidate(self) -> None:
        """The optimizer's second moments stand for the Fisher information."""
        self.old.load_state_dict(self.net.state_dict())
        for total, p in zip(self.importance, self.net.parameters(), strict=True):
            total.lerp_(self.optimizer.state[p]["exp_avg_sq"].sqrt(), 0.5)

    def loss(self, batch, quarter: int) -> torch.Tensor:
        categories, numeric, labels = batch
        *replayed, weight = self.memory.draw(self.options.replayed)
        weight = torch.cat([torch.ones(len(labels)), weight])
        categories = torch.cat([categories, replayed[0]])
        numeric = torch.cat([numeric, replayed[1]])
        labels = torch.cat([labels, replayed[2]])

        logits = self.compiled(categories, numeric)
        with torch.no_grad():
            before = self.old(categories, numeric)
        mask = self.old.known.float()
        loss = (weight * F.cross_entropy(logits, labels, reduction="none")).sum() / weight.sum()
        distil = ((logits - before).square() * mask).mean()
        pull = torch.stack(
            [
                (f * (p - q).square()).sum()
                for f, p, q in zip(
                    self.importance, self.net.parameters(), self.old.parameters(), strict=True
                )
            ]
        ).sum()
        return loss + self.distil_weight(quarter) * distil + self.options.pull * pull

    def learn(self, quarter: Quarter) -> None:
        self.net.open_classes(quarter.classes)
        self.net.train()
        for epoch in range(self.options.epochs):
            for group in self.optimizer.param_groups:
                group["lr"] = self.options.lr * 0.8**epoch
            total = 0.0
            for batch in loader(quarter.train, self.options.batch_size, train=True):
                self.optimizer.zero_grad(set_to_none=True)
                loss = self.loss(batch, quarter.index)
                loss.backward()
                if self.steps >= self.options.clip_after:
                    torch.nn.utils.clip_grad_value_(self.net.parameters(), 1.0)
                self.optimizer.step()
                self.steps += 1
                total += loss.item()
                if epoch == 0:
                    self.memory.add(*batch)
            log.info("quarter %d: %.3f, head %.3f", quarter.index, total, self.head_norm.item())
        self.consolidate()

    @torch.inference_mode()
    def accuracy(self, quarter: Quarter) -> float:
        self.net.eval()
        hits = [
            (self.net(categories, numeric).argmax(1) == labels).float()
            for categories, numeric, labels in loader(quarter.test, 16, train=False)
        ]
        return torch.cat(hits).mean().item()
