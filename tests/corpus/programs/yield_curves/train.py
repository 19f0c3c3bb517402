"""Fits the forecaster day by day, as the desk does after the close."""

import torch
from curves import simulate
from forecaster import CurveForecaster, likelihood, regularizer, to_windows
from robust import RollingHuber

LAGS = 5
BATCH = 24
STEPS = 8
SPREAD_EVERY = 3

torch.manual_seed(9)
history, target = to_windows(simulate(160, seed=9), LAGS)
order = torch.randperm(len(history), generator=torch.Generator().manual_seed(1))

model = CurveForecaster(LAGS)
huber = RollingHuber()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.98)

for step in range(STEPS):
    rows = order[torch.arange(step * BATCH, (step + 1) * BATCH) % len(order)]
    past, truth = history[rows], target[rows]
    with_spread = step % SPREAD_EVERY == 0
    curve, log_spread = model(past, with_spread=with_spread)
    loss = huber(curve, truth) + regularizer(model, 1e-4 * 0.9**step)
    if log_spread is not None:
        loss = loss + 0.1 * likelihood(curve, log_spread, truth)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    huber.update(curve, truth)
    print(f"{step:2d} loss {loss.item():8.5f}  delta {huber.delta:.4f}")
