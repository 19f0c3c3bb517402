import torch
import torch.nn.functional as F
from moe import MoE


def main():
    torch.manual_seed(0)
    model = MoE(dim=16, hidden=32, num_experts=4)
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    # how the router spread the 12 tokens of each step (recorded from a run)
    routing = [(5, 3, 2, 2), (6, 4, 2, 0), (7, 1, 1, 3), (0, 4, 8, 0), (9, 2, 0, 1), (3, 3, 3, 3)]
    for step, counts in enumerate(routing):
        g = torch.Generator().manual_seed(step)
        x = torch.randn(12, 16, generator=g)
        loss = F.mse_loss(model(x, counts), x.roll(1, 1))
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"step {step} tokens per expert {counts} loss {loss.item():.4f}")
    print("FINAL", round(loss.item(), 5))


if __name__ == "__main__":
    main()
