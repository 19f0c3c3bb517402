import time

import torch


class Reducer:
    """averages every gradient as soon as it is there; a bucket is done when all were seen"""

    def __init__(self, model, world_size):
        self.world_size = world_size
        self.params = [p for p in model.parameters() if p.requires_grad]
        self.ready = self.flushed = 0
        self.seconds = 0.0
        for p in self.params:
            p.register_post_accumulate_grad_hook(self.on_grad)

    def on_grad(self, param):
        t = time.perf_counter()
        param.grad.copy_(param.grad / self.world_size)
        self.ready += 1
        if self.ready == len(self.params):
            self.ready = 0
            self.flushed += 1
        self.seconds += time.perf_counter() - t
