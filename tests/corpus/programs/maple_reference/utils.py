"""What a reference script needs: smoothed values, averaged weights."""

from collections import defaultdict, deque

import torch


class SmoothedValue:
    def __init__(self, window_size=5):
        self.deque = deque(maxlen=window_size)

    def update(self, value):
        self.deque.append(value)

    @property
    def avg(self):
        return sum(self.deque) / len(self.deque)


class MetricLogger:
    def __init__(self):
        self.meters = defaultdict(SmoothedValue)

    def update(self, **values):
        for name, value in values.items():
            self.meters[name].update(value.item() if torch.is_tensor(value) else value)

    def log_every(self, iterable, print_freq, header):
        for number, one in enumerate(iterable):
            yield one
            if number % print_freq == 0:
                told = "  ".join(f"{name}: {meter.avg:.4f}" for name, meter in self.meters.items())
                print(f"{header} [{number}] {told}")


class ExponentialMovingAverage(torch.optim.swa_utils.AveragedModel):
    def __init__(self, model, decay):
        def average(ema, value, num):
            return decay * ema + (1 - decay) * value

        super().__init__(model, avg_fn=average, use_buffers=True)
