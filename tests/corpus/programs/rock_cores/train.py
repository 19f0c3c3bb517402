"""Trains an estimator of porosity."""

import torch
from cores import logs
from model import PorosityNet
from torch.optim.lr_scheduler import OneCycleLR

STEPS = 15


def main():
    torch.manual_seed(0)
    net = torch.compile(PorosityNet(), backend="aot_eager")
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    schedule = OneCycleLR(optimizer, max_lr=1e-2, total_steps=STEPS)
    smoothed = None
    for log, porosity in logs(STEPS):
        loss = torch.nn.functional.huber_loss(net(log), porosity)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        now = loss.item()
        smoothed = now if smoothed is None else 0.9 * smoothed + 0.1 * now
    print(f"{smoothed:.4f} at a rate of {schedule.get_last_lr()[0]:.1e}")


if __name__ == "__main__":
    main()
