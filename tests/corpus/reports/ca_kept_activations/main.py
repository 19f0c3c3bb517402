import torch
import torch.nn.functional as F
from torch._dynamo import compiled_autograd

from probe import Reader


def main():
    torch.manual_seed(16)
    net = Reader()
    opt = torch.optim.SGD(net.parameters(), lr=0.3)
    total = 0.0
    for step in range(5):
        tokens = torch.randint(0, 30, (6, 9))
        loss = F.cross_entropy(net(tokens), tokens[:, 0] % 2)
        opt.zero_grad()
        with compiled_autograd._enable(torch.compile(backend="aot_eager")):
            loss.backward()
        opt.step()
        total += loss.item() + net.saliency().max().item()
    print("FINAL %.5f" % total)


main()
