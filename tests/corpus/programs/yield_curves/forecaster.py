import torch
from curves import TENORS
from torch import nn


class CurveForecaster(nn.Module):
    """The change of the curve by tomorrow, and how volatile it will be."""

    def __init__(self, lags=5, width=32):
        super().__init__()
        tenors = len(TENORS)
        self.trunk = nn.Sequential(nn.Linear(lags * tenors, width), nn.SiLU())
        self.change = nn.Linear(width, tenors)
        self.spread = nn.Linear(width, tenors)
        nn.init.zeros_(self.change.weight)

    def forward(self, history, with_spread=False):
        hidden = self.trunk((history - history[:, -1:]).flatten(1))
        curve = history[:, -1] + self.change(hidden)
        if not with_spread:
            return curve, None
        return curve, self.spread(hidden).clamp(-6, 2)


def likelihood(curve, log_spread, truth):
    residual = (truth - curve.detach()) / log_spread.exp()
    return (0.5 * residual.square() + log_spread).mean()


def regularizer(model, strength):
    return strength * sum(p.square().sum() for p in model.change.parameters())


def to_windows(curves, lags):
    curves = torch.from_numpy(curves)
    history = curves.unfold(0, lags, 1).transpose(1, 2)[:-1]
    return history.contiguous(), curves[lags:]
