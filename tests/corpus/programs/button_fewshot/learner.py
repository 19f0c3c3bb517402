"""Meta-training: several episodes to an update, with a teacher that is an average of the past."""

import copy
import math

import torch
import torch.nn.functional as F

REGISTRY = {}


def register(name):
    def add(function):
        REGISTRY[name] = function
        return function

    return add


@register("cosine")
def cosine(done):
    return 0.5 + 0.5 * math.cos(math.pi * done)


@register("linear")
def linear(done):
    return 1.0 - 0.5 * done


class Learner:
    def __init__(self, net, cfg):
        self.net = net
        self.teacher = copy.deepcopy(net).requires_grad_(False).eval()
        self.cfg = cfg
        self.trained = [p for p in net.parameters() if p.requires_grad]
        for p in self.trained:
            p.grad = torch.zeros_like(p)
        self.optimizer = torch.optim.SGD(self.trained, lr=cfg["lr"], momentum=0.9)
        self.share = torch.tensor(0.0)
        for p in net.embedding.blocks[-1].parameters():
            p.register_hook(self._watch)

    def _watch(self, grad):
        return grad * (1.0 / self.cfg["episodes_per_update"])

    def anneal(self, update):
        done = update / self.cfg["updates"]
        self.net.temperature.fill_(0.5 + REGISTRY[self.cfg["anneal"]](done))
        self.share.fill_(min(0.5, done))
        for group in self.optimizer.param_groups:
            group["lr"] = self.cfg["lr"] * REGISTRY["linear"](done)

    def episode_loss(self, episode):
        logits = self.net(episode["support"], episode["query"])
        with torch.no_grad():
            soft = self.teacher(episode["support"], episode["query"]).softmax(-1)
        hard = F.cross_entropy(logits, episode["labels"], label_smoothing=0.05)
        distilled = -(soft * logits.log_softmax(-1)).sum(-1).mean()
        return (1 - self.share) * hard + self.share * distilled

    def update(self, episodes, number):
        self.net.train()
        self.anneal(number)
        self.optimizer.zero_grad(set_to_none=False)
        total = 0.0
        for _ in range(self.cfg["episodes_per_update"]):
            loss = self.episode_loss(next(episodes))
            loss.backward()
            total += loss.item()
        if number % 3 == 0:
            torch.nn.utils.clip_grad_norm_(self.trained, 1.0)
        self.optimizer.step()
        with torch.no_grad():
            for old, new in zip(self.teacher.parameters(), self.net.parameters(), strict=True):
                old.lerp_(new, 0.1)
        return total / self.cfg["episodes_per_update"]

    @torch.no_grad()
    def accuracy(self, episodes, count):
        self.net.eval()
        right = 0.0
        for _ in range(count):
            episode = next(episodes)
            guess = self.net(episode["support"], episode["query"]).argmax(-1)
            right += (guess == episode["labels"]).float().mean().item()
        return right / count
