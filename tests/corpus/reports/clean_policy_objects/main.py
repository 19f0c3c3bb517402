import torch
from block import Block
from ac import make_context_fn


def main():
    torch.manual_seed(0)
    block = Block(16)
    opt = torch.optim.SGD(block.parameters(), lr=0.05)
    fwd = torch.compile(block, backend="aot_eager")
    g = torch.Generator().manual_seed(0)
    for step in range(6):
        x = torch.randn(4, 16, generator=g)
        context_fn = make_context_fn(save_every=2)
        loss = (fwd(x, context_fn) - x).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"step {step} loss {loss.item():.4f}")
    print("FINAL", round(loss.item(), 5))


if __name__ == "__main__":
    main()
