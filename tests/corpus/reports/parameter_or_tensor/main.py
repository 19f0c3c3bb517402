"""Keep learnt prompts and a bank of frozen prompts at unit length."""
import torch
import torch.nn as nn


@torch.compile(backend="eager")
@torch.no_grad()
def to_unit(prompts):
    return prompts / (prompts.norm(dim=-1, keepdim=True) + 1e-6)


class Prompts(nn.Module):
    def __init__(self, n=6, width=10):
        super().__init__()
        self.learnt = nn.Parameter(torch.randn(n, width))
        self.register_buffer("bank", torch.randn(n, width))

    def normalise(self):
        with torch.no_grad():
            self.learnt.copy_(to_unit(self.learnt))
            self.bank.copy_(to_unit(self.bank))

    def forward(self, x):
        return x @ (self.learnt + self.bank).T


def main():
    torch.manual_seed(26)
    prompts = Prompts()
    opt = torch.optim.SGD(prompts.parameters(), lr=0.3)
    x, y = torch.randn(30, 10), torch.randint(6, (30,))
    for _ in range(5):
        prompts.normalise()
        loss = nn.functional.cross_entropy(prompts(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"FINAL {loss.item():.5f}")


if __name__ == "__main__":
    main()
