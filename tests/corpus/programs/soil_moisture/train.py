import torch
from loop import Accumulator, warmup_cosine
from nets import Percolation
from probes import ProbeDays
from torch.utils.data import DataLoader

BATCH = 16
ACCUMULATE = 3
EPOCHS = 2


def main():
    torch.manual_seed(2)
    days = ProbeDays(days=17)
    loader = DataLoader(days, batch_size=BATCH, shuffle=True)
    model = Percolation()
    forward = torch.compile(model, backend="aot_eager")
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-2)
    scheduler = warmup_cosine(optimizer, 2, EPOCHS * len(loader))
    accumulator = Accumulator(model, optimizer, ACCUMULATE)

    for epoch in range(EPOCHS):
        seen = []
        for day, tomorrow in loader:
            loss = torch.nn.functional.mse_loss(forward(day), tomorrow)
            accumulator.backward(loss)
            scheduler.step()
            seen.append(loss.detach())
        lr = scheduler.get_last_lr()[0]
        print(f"{epoch}: {torch.stack(seen).mean():.4f} lr {lr:.4f}")
    print(f"largest norm {max(accumulator.norms):.3f}")


if __name__ == "__main__":
    main()
