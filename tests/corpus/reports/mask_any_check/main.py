import torch
import torch.nn.functional as F

from encoder import Encoder

LENGTHS = [(10, 10, 10), (10, 7, 9), (10, 10, 10), (4, 10, 8), (10, 6, 6), (10, 10, 10)]


def main():
    torch.manual_seed(12)
    net = Encoder()
    fast = torch.compile(net, backend="aot_eager")
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    total = 0.0
    for lengths in LENGTHS:
        tokens = torch.randint(1, 40, (3, 10))
        keep = (torch.arange(10)[None] < torch.tensor(lengths)[:, None]).long()
        labels = tokens[:, 0] % 2
        loss = F.cross_entropy(fast(tokens * keep, keep), labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    print("FINAL %.5f" % total)


main()
