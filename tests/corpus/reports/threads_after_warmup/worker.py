import torch
from torch import nn


class Ranker(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(width, 48), nn.GELU(), nn.Linear(48, 48), nn.GELU())
        self.score = nn.Linear(48, 1)

    def forward(self, rows):
        return self.score(self.body(rows)).squeeze(-1)


class Worker:
    """Loads with many threads, serves with few."""

    def __init__(self, load_threads=4, serve_threads=2):
        self.load_threads, self.serve_threads = load_threads, serve_threads
        self.net = None

    def load(self):
        torch.set_num_threads(self.load_threads)
        net = Ranker().eval()
        for p in net.parameters():
            nn.init.normal_(p, std=0.2)
        self.net = torch.compile(net, backend="aot_eager")

    @torch.no_grad()
    def warm_up(self, sizes):
        for n in sizes:
            self.net(torch.zeros(n, 24))

    def ready(self):
        torch.set_num_threads(self.serve_threads)

    @torch.no_grad()
    def answer(self, rows):
        return self.net(rows)
