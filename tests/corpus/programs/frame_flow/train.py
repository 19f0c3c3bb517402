"""Self-supervised training of a flow network on clips."""

import argparse

import torch
from clips import clips
from flow import FlowNet, photometric, warped


def parse(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clips", type=int, default=3)
    parser.add_argument("--frames", type=int, default=5)
    parser.add_argument("--lr", type=float, default=1e-3)
    return parser.parse_args(arguments)


def main():
    options = parse()
    torch.manual_seed(0)
    net = FlowNet()
    estimate = torch.compile(net, backend="aot_eager")
    optimizer = torch.optim.RMSprop(net.parameters(), lr=options.lr)
    for clip in clips(options.clips, options.frames):
        total = torch.zeros(())
        for previous, frame in clip.with_previous():
            flow = estimate(previous, frame)
            total = total + photometric(warped(previous, flow), frame)
        optimizer.zero_grad()
        (total / len(clip)).backward()
        optimizer.step()


if __name__ == "__main__":
    main()
