"""A service around the ranker, warmed up before it takes requests."""

import itertools
import time
from collections import Counter

import torch


class RankingService:
    def __init__(self, model, top=3):
        self.model = model.eval()
        self.scores = torch.compile(self.model, backend="eager")
        self.top = top
        self.served = Counter()
        self.requests = itertools.count(1)

    @torch.inference_mode()
    def _ranked(self, user, items):
        scores = self.scores(torch.tensor([user]), torch.tensor(items))
        return [items[place] for place in scores.topk(self.top).indices.tolist()]

    def warm_up(self, sizes=(8, 16)):
        """The second size makes the number of candidates dynamic before requests come."""
        for size in sizes:
            self._ranked(0, list(range(size)))

    def __call__(self, request):
        began = time.perf_counter()
        answer = {"number": next(self.requests), "items": self._ranked(**request)}
        self.served[request["user"]] += 1
        answer["seconds"] = time.perf_counter() - began
        return answer
