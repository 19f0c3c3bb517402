import random

import torch
import torch.nn.functional as F

from elastic import SuperNet


def main():
    torch.manual_seed(1)
    pick = random.Random(4)
    net = SuperNet()
    fast = torch.compile(net, backend="aot_eager")
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    centers = torch.randn(5, 24)
    total = 0.0
    for step in range(14):
        y = torch.randint(0, 5, (16,))
        x = centers[y] + 0.3 * torch.randn(16, 24)
        net.set_subnet(hidden=pick.choice([24, 32, 40, 48, 64]), depth=pick.choice([1, 2, 3, 4]))
        loss = F.cross_entropy(fast(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    print("FINAL %.5f" % total)


main()
