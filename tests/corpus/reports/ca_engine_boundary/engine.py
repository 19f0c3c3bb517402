import contextlib

import torch
from torch import nn


class Engine(nn.Module):
    """wraps model and optimizer; gradients are kept in one flat buffer"""

    def __init__(self, module, lr, accumulate):
        super().__init__()
        self.module = module
        self.accumulate = accumulate
        self.micro_steps = 0
        self.updates = 0
        self.optimizer = torch.optim.SGD(module.parameters(), lr=lr, momentum=0.9)
        self.compiler = None
        for p in module.parameters():
            p.main_grad = torch.zeros_like(p)
            p.register_post_accumulate_grad_hook(self.on_grad)

    def is_boundary(self):
        return (self.micro_steps + 1) % self.accumulate == 0

    @torch.no_grad()
    def on_grad(self, p):
        p.main_grad.add_(p.grad)
        p.grad.zero_()
        if self.is_boundary():
            p.grad.copy_(p.main_grad / self.accumulate)
            p.main_grad.zero_()

    def compile_backward(self, **kw):
        self.compiler = torch.compile(**kw)

    def forward(self, *args):
        return self.module(*args)

    def backward(self, loss):
        on = torch._dynamo.compiled_autograd._enable(self.compiler) if self.compiler else contextlib.nullcontext()
        with on:
            loss.backward()

    def step(self):
        if self.is_boundary():
            self.optimizer.step()
            self.updates += 1
            for p in self.module.parameters():
                p.grad.zero_()
        self.micro_steps += 1
