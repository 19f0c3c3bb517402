import torch
from draft import DraftTrainer


def main():
    torch.manual_seed(0)
    trainer = DraftTrainer(vocab=12, dim=16, unroll=2)
    opt = torch.optim.AdamW(trainer.parameters(), lr=0.01)
    step_fn = torch.compile(trainer, backend="aot_eager")
    g = torch.Generator().manual_seed(0)
    for step in range(5):
        tokens = torch.randint(0, 12, (4, 10), generator=g)
        mask = torch.ones(4, 9)
        mask[:, :3] = 0
        losses, accs = step_fn(tokens, mask)
        loss = sum(0.8 ** i * l for i, l in enumerate(losses))
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"step {step} loss {loss.item():.4f} acc " + " ".join(f"{float(a):.3f}" for a in accs))
    print("FINAL", round(loss.item(), 5))


if __name__ == "__main__":
    main()
