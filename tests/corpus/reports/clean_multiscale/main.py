import random

import torch
from detector import Detector

SCALES = [32, 40, 48, 56, 64, 72]


def main():
    torch.manual_seed(0)
    rng = random.Random(3)
    net = Detector(width=6, classes=3)
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    fast = torch.compile(net, backend="aot_eager", dynamic=True)
    g = torch.Generator().manual_seed(16)
    for step in range(8):
        h, w = rng.choice(SCALES), rng.choice(SCALES)
        images = torch.randn(2, 3, h, w, generator=g)
        boxes, logits = fast(images)
        loss = (boxes.mean(1) - 0.5).pow(2).mean() + torch.nn.functional.cross_entropy(logits.mean(1), torch.tensor([0, 1]))
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"step {step} {h}x{w}: {boxes.shape[1]} anchors, loss {loss.item():.4f}")
    print("FINAL", round(loss.item(), 4))


if __name__ == "__main__":
    main()
