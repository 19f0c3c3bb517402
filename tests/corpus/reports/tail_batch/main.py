import torch
from torch.utils.data import DataLoader
from data import PackedTokens
from model import TinyLlama


def train(model, loader, opt, epochs):
    step_fn = torch.compile(model, backend="aot_eager")
    for epoch in range(epochs):
        running = 0.0
        for i, (ids, targets) in enumerate(loader):
            loss = step_fn(ids, targets)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            running += loss.item()
        print(f"epoch {epoch}: {running / len(loader):.4f}")
    return running / len(loader)


def main():
    torch.manual_seed(1337)
    loader = DataLoader(PackedTokens(n=44, block_size=12), batch_size=8, shuffle=False)
    model = TinyLlama(vocab=32, dim=16)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
    final = train(model, loader, opt, epochs=3)
    print("FINAL", round(final, 4))


if __name__ == "__main__":
    main()
