"""Learns to steer along the rows."""

import torch
from fusion import Fusion
from sensors import SENSORS, Drive


def main():
    torch.manual_seed(0)
    drive = Drive()
    network = Fusion(SENSORS)
    model = torch.compile(network, backend="aot_eager")
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    for reading, steering in drive.minutes(14):
        angle = model(reading)
        loss = (angle - steering).square()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.3f}")


if __name__ == "__main__":
    main()
