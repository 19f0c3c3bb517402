import torch
from multi import MultiDomain

DOMAINS = {"mail": 1, "news": 2, "code": 1, "law": 3, "chat": 1, "maps": 2, "med": 3, "games": 1, "food": 2, "sport": 1, "art": 2}


def main():
    torch.manual_seed(0)
    net = MultiDomain(dim=8, depths=DOMAINS)
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    fast = torch.compile(net, backend="aot_eager")
    g = torch.Generator().manual_seed(4)
    for epoch in range(3):
        total = 0.0
        for name in DOMAINS:
            x = torch.randn(6, 8, generator=g)
            loss = (fast(x, name) - x.mean(1, keepdim=True)).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        print(f"epoch {epoch} loss {total / len(DOMAINS):.4f}")
    print("FINAL", round(total, 4))


if __name__ == "__main__":
    main()
