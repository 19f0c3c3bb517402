"""Full precision for two steps, then bfloat16, with a check in full precision now and then."""

import torch
from torch import nn
from torch.nn import functional


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.Linear(32, 2))
    compiled = torch.compile(model, backend="aot_eager")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(9):
        inputs = torch.randn(16, 8)
        labels = (inputs.sum(1) > 0).long()
        use_half = step >= 2 and step % 4 != 0
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=use_half):
            loss = functional.cross_entropy(compiled(inputs).float(), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
