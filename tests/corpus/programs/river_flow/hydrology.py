"""Rain over a catchment, and the flow of its river."""

import torch
from torch import nn


def season(days, gauges, seed):
    generator = torch.Generator().manual_seed(seed)
    rain = torch.rand(days, gauges, 2, generator=generator)
    flow = torch.zeros(days, gauges)
    for day in range(1, days):
        flow[day] = 0.8 * flow[day - 1] + 0.2 * rain[day].sum(-1)
    return rain, flow


class Catchment(nn.Module):
    """Keeps the water that is stored in the ground from one window to the next."""

    def __init__(self, gauges, width=12):
        super().__init__()
        self.gauges = gauges
        self.inflow = nn.Linear(2, width)
        self.seepage = nn.Linear(width, width, bias=False)
        self.outflow = nn.Linear(width, 1)
        self.dry()

    def dry(self):
        self.stored = torch.zeros(self.gauges, self.seepage.in_features)

    def forward(self, rain):
        flows = []
        for day in rain:
            self.stored = torch.tanh(self.inflow(day) + self.seepage(self.stored))
            flows.append(self.outflow(self.stored).squeeze(-1))
        return torch.stack(flows)
