import contextlib
import copy

import torch


class EMAModel:
    """Exponential moving average of models weights, warmed up as in Karras et al."""

    def __init__(self, model, decay=0.99, inv_gamma=1.0, power=2 / 3):
        self.shadow = copy.deepcopy(model).requires_grad_(False)
        self.decay, self.inv_gamma, self.power = decay, inv_gamma, power
        self.optimization_step = 0
        self.cur_decay_value = 0.0

    @torch.no_grad()
    def step(self, model):
        self.optimization_step += 1
        value = 1 - (1 + self.optimization_step / self.inv_gamma) ** -self.power
        self.cur_decay_value = min(self.decay, value)
        torch._foreach_lerp_(
            list(self.shadow.parameters()), list(model.parameters()), 1 - self.cur_decay_value
        )

    @contextlib.contextmanager
    def applied_to(self, model):
        stored = copy.deepcopy(model.state_dict())
        model.load_state_dict(self.shadow.state_dict())
        try:
            yield model
        finally:
            model.load_state_dict(stored)


def collate_fn(examples):
    pixel_values = torch.stack([example["pixel_values"] for example in examples])
    low_res = torch.nn.functional.avg_pool2d(pixel_values, 2)
    return {
        "pixel_values": pixel_values,
        "low_res": low_res,
        "names": [e["name"] for e in examples],
    }
