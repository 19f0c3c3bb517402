import torch
from accumulate import micro_batches, train_step
from torch import nn


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 24), nn.GELU(), nn.Linear(24, 1))
    opt = torch.optim.AdamW(model.parameters(), lr=0.01)
    compiled = torch.compile(model, backend="aot_eager")
    for step in range(6):
        loss = train_step(compiled, opt, micro_batches(step, accum=4))
        print(f"step {step} loss {loss:.4f}")
    print("FINAL", round(loss, 5))


if __name__ == "__main__":
    main()
