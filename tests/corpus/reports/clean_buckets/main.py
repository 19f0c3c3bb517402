import torch
from collate import BUCKETS, collate
from model import ByteLM


def games(n):
    g = torch.Generator().manual_seed(0)
    for _ in range(n):
        yield [torch.randint(1, 50, (int(k),), generator=g) for k in torch.randint(3, 60, (4,), generator=g)]


def main():
    torch.manual_seed(0)
    model = ByteLM(vocab=50, dim=16)
    opt = torch.optim.SGD(model.parameters(), lr=0.2)
    compiled = torch.compile(model, dynamic=False, backend="aot_eager")
    for length in BUCKETS:
        compiled(torch.ones(4, length, dtype=torch.long)).backward()
    opt.zero_grad()
    for step, batch in enumerate(games(12)):
        ids = collate(batch)
        loss = compiled(ids)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"step {step} padded to {ids.shape[1]} loss {loss.item():.4f}")
    print("FINAL", round(loss.item(), 4))


if __name__ == "__main__":
    main()
