import copy
from collections import defaultdict, deque

import torch


class SmoothedValue:
    """Track a series of values and provide access to smoothed values over a window."""

    def __init__(self, window_size=20, fmt="{median:.4f} ({global_avg:.4f})"):
        self.deque = deque(maxlen=window_size)
        self.total = 0.0
        self.count = 0
        self.fmt = fmt

    def update(self, value, n=1):
        self.deque.append(value)
        self.count += n
        self.total += value * n

    def __str__(self):
        median = torch.tensor(list(self.deque)).median().item()
        return self.fmt.format(median=median, global_avg=self.total / max(self.count, 1))


class MetricLogger:
    def __init__(self, delimiter="  "):
        self.meters = defaultdict(SmoothedValue)
        self.delimiter = delimiter

    def __str__(self):
        return self.delimiter.join(f"{name}: {meter}" for name, meter in self.meters.items())

    def log_every(self, iterable, print_freq, header):
        for i, obj in enumerate(iterable):
            yield obj
            if i % print_freq == 0:
                print(f"{header} [{i}/{len(iterable)}] {self}")


class ExponentialMovingAverage:
    def __init__(self, model, decay):
        self.module = copy.deepcopy(model)
        self.decay = decay

    @torch.no_grad()
    def update_parameters(self, model):
        pairs = zip(self.module.state_dict().values(), model.state_dict().values(), strict=True)
        for mine, theirs in pairs:
            if mine.dtype.is_floating_point:
                mine.lerp_(theirs, 1 - self.decay)
            else:
                mine.copy_(theirs)


def set_weight_decay(model, weight_decay, norm_weight_decay=0.0):
    groups = {"norm": [], "other": []}
    for module in model.modules():
        key = "norm" if isinstance(module, torch.nn.BatchNorm2d) else "other"
        groups[key] += list(module.parameters(recurse=False))
    return [
        {"params": groups["other"], "weight_decay": weight_decay},
        {"params": groups["norm"], "weight_decay": norm_weight_decay},
    ]


def set_trainable(model, parts):
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(any(name.startswith(part) for part in parts))
