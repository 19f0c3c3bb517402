import torch
from torch import nn


class Server:
    def __init__(self, dim, batch_sizes):
        self.dim = dim
        self.batch_sizes = batch_sizes
        self.model = nn.Sequential(nn.Linear(dim, 32), nn.GELU(), nn.Linear(32, 1)).eval()
        self.forward = torch.compile(self.model, dynamic=False, backend="aot_eager")

    @torch.inference_mode()
    def warm_up(self):
        for b in self.batch_sizes:
            self.forward(torch.zeros(b, self.dim))
        print("warm-up done for batch sizes", self.batch_sizes)

    @torch.inference_mode()
    def handle(self, requests):
        n = len(requests)
        size = next(b for b in self.batch_sizes if b >= n)
        x = torch.zeros(size, self.dim)
        x[:n] = torch.stack(requests)
        return self.forward(x)[:n, 0].tolist()
