"""Fit a small neural ODE to predator-prey data."""

import argparse

import torch
import torch.nn as nn

parser = argparse.ArgumentParser("lotka-volterra demo")
parser.add_argument("--data_size", type=int, default=200)
parser.add_argument("--batch_time", type=int, default=8)
parser.add_argument("--batch_size", type=int, default=12)
parser.add_argument("--niters", type=int, default=16)
parser.add_argument("--test_freq", type=int, default=4)
parser.add_argument("--dt", type=float, default=0.05)
args = parser.parse_args()

torch.manual_seed(7)


def odeint(f, y, steps, h=args.dt):
    """Classic fourth-order Runge-Kutta; returns all states, the first included."""
    ys = [y]
    for _ in range(steps):
        k1 = f(y)
        k2 = f(y + h / 2 * k1)
        k3 = f(y + h / 2 * k2)
        k4 = f(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        ys.append(y)
    return torch.stack(ys)


def lotka(y, a=1.5, b=1.0, c=3.0, d=1.0):
    prey, pred = y.unbind(-1)
    return torch.stack([a * prey - b * prey * pred, d * prey * pred - c * pred], -1)


with torch.no_grad():
    true_y = odeint(lotka, torch.tensor([1.0, 1.0]), args.data_size - 1)


def get_batch(length):
    s = torch.randint(0, args.data_size - length, (args.batch_size,))
    return true_y[s], torch.stack([true_y[s + i] for i in range(length + 1)])


class ODEFunc(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 2))

    def forward(self, y):
        return self.net(y)


func = ODEFunc()
optimizer = torch.optim.RMSprop(func.parameters(), lr=1e-2)

for itr in range(1, args.niters + 1):
    horizon = min(2 + 2 * (itr // args.test_freq), args.batch_time)
    optimizer.zero_grad()
    y0, target = get_batch(horizon)
    pred = odeint(func, y0, horizon)
    loss = torch.mean(torch.abs(pred - target))
    loss.backward()
    optimizer.step()

    if itr % args.test_freq == 0:
        with torch.no_grad():
            full = odeint(func, true_y[0], args.data_size - 1)
            print(f"Iter {itr:04d} | loss {torch.mean(torch.abs(full - true_y)).item():.4f}")
