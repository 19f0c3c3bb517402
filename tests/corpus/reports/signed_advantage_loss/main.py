import torch
from losses import policy_loss
from torch import nn


def main():
    torch.manual_seed(0)
    policy = nn.Linear(6, 5)
    old = nn.Linear(6, 5)
    opt = torch.optim.Adam(policy.parameters(), lr=0.02)
    loss_fn = torch.compile(policy_loss, backend="aot_eager")
    g = torch.Generator().manual_seed(2)
    for step in range(4):
        x = torch.randn(4, 7, 6, generator=g)
        act = torch.randint(0, 5, (4, 7, 1), generator=g)
        adv = torch.randn(4, generator=g)
        logp = policy(x).log_softmax(-1).gather(-1, act)[..., 0]
        with torch.no_grad():
            old_logp = old(x).log_softmax(-1).gather(-1, act)[..., 0]
        loss = loss_fn(logp, old_logp, adv)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"step {step} loss {loss.item():.5f}")
    print("FINAL", round(loss.item(), 5))


if __name__ == "__main__":
    main()
