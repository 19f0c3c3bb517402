import time
from collections import defaultdict, deque

import torch


class SmoothedValue:
    """Track a series of values and provide access to smoothed values over a
    window or the global series average.
    """

    def __init__(self, window_size=20, fmt="{median:.4f} ({global_avg:.4f})"):
        self.deque = deque(maxlen=window_size)
        self.total = 0.0
        self.count = 0
        self.fmt = fmt

    def update(self, value, n=1):
        self.deque.append(value)
        self.count += n
        self.total += value * n

    @property
    def median(self):
        return torch.tensor(list(self.deque)).median().item()

    @property
    def global_avg(self):
        return self.total / self.count

    def __str__(self):
        return self.fmt.format(median=self.median, global_avg=self.global_avg)


class MetricLogger:
    def __init__(self, delimiter="  "):
        self.meters = defaultdict(SmoothedValue)
        self.delimiter = delimiter

    def update(self, n=1, **values):
        for name, value in values.items():
            self.meters[name].update(value.item() if torch.is_tensor(value) else value, n)

    def __str__(self):
        return self.delimiter.join(f"{name}: {meter}" for name, meter in self.meters.items())

    def log_every(self, iterable, print_freq, header=""):
        start_time = time.time()
        for i, obj in enumerate(iterable):
            yield obj
            if i % print_freq == 0:
                print(f"{header} [{i}/{len(iterable)}]  {self}")
        print(f"{header} took {'long' if time.time() - start_time > 600 else 'short'}")


class ExponentialMovingAverage(torch.optim.swa_utils.AveragedModel):
    def __init__(self, model, decay):
        def ema_avg(avg_model_param, model_param, num_averaged):
            return decay * avg_model_param + (1 - decay) * model_param

        super().__init__(model, avg_fn=ema_avg, use_buffers=True)


def accuracy(output, target):
    with torch.inference_mode():
        return (output.argmax(1) == target).float().mean() * 100.0


def set_weight_decay(model, weight_decay, norm_weight_decay):
    groups = {"norm": [], "other": []}
    for module in model.modules():
        kind = "norm" if isinstance(module, torch.nn.BatchNorm2d) else "other"
        groups[kind].extend(module.parameters(recurse=False))
    decays = {"norm": norm_weight_decay, "other": weight_decay}
    return [{"params": groups[k], "weight_decay": decays[k]} for k in groups if groups[k]]
