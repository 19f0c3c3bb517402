"""Fine-tune a head in mixed precision; a dry run up front checks the shapes and compiles."""
import torch
import torch.nn as nn


class Head(nn.Module):
    def __init__(self, width=16, classes=5):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(width, 32), nn.GELU(), nn.Linear(32, classes))

    def forward(self, x):
        return self.body(x)


class Trainer:
    def __init__(self, model, lr=0.05, amp=True):
        self.raw = model
        self.model = torch.compile(model, backend="eager")
        self.opt = torch.optim.SGD(model.parameters(), lr=lr)
        self.amp = amp

    def dry_run(self, batch):
        out = self.model(batch)
        assert out.shape[0] == batch.shape[0]

    def step(self, batch, labels):
        with torch.autocast("cpu", torch.bfloat16, enabled=self.amp):
            loss = nn.functional.cross_entropy(self.model(batch), labels)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss


def main():
    torch.manual_seed(16)
    trainer = Trainer(Head())
    trainer.dry_run(torch.zeros(24, 16))
    x, y = torch.randn(24, 16), torch.randint(5, (24,))
    for _ in range(6):
        loss = trainer.step(x, y)
    print(f"FINAL {loss.item():.4f}")


if __name__ == "__main__":
    main()
