import math

import torch
import torch.nn.functional as F
from dann import DANN


def strength(step, total):
    return 2.0 / (1.0 + math.exp(-10.0 * step / total)) - 1.0


def main():
    torch.manual_seed(0)
    model = DANN(dim=10)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    g = torch.Generator().manual_seed(0)
    for step in range(10):
        x = torch.randn(16, 10, generator=g)
        label, domain = (x[:, 0] > 0).long(), (torch.arange(16) % 2)
        logits, dom = model(x + domain[:, None], strength(step, 10))
        loss = F.cross_entropy(logits, label) + F.cross_entropy(dom, domain)
        opt.zero_grad()
        with torch._dynamo.compiled_autograd._enable(torch.compile(backend="aot_eager")):
            loss.backward()
        opt.step()
        print(f"step {step} loss {loss.item():.4f}")
    print("FINAL", round(loss.item(), 4))


if __name__ == "__main__":
    main()
