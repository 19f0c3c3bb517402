import contextlib
import time

import torch
from lm import LM


class Benchmark:
    def __init__(self, compiled_autograd, warmup, iters):
        self.compiled_autograd, self.warmup, self.iters = compiled_autograd, warmup, iters
        self.model = LM(vocab=16, dim=12, layers=2)
        self.fast = torch.compile(self.model, backend="aot_eager")
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=0.01)
        self.times = []

    def backward_context(self):
        if self.compiled_autograd:
            return torch._dynamo.compiled_autograd._enable(torch.compile(backend="aot_eager"))
        return contextlib.nullcontext()

    def run(self):
        g = torch.Generator().manual_seed(0)
        for i in range(self.warmup + self.iters):
            t = time.perf_counter()
            tokens = torch.randint(0, 16, (4, 11), generator=g)
            loss = self.fast(tokens[:, :-1], tokens[:, 1:])
            with self.backward_context():
                loss.backward()
            self.opt.step()
            self.opt.zero_grad(set_to_none=True)
            if i >= self.warmup:
                self.times.append(time.perf_counter() - t)
        return loss.item()
