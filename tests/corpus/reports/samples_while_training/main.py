import torch
from model import GPT
from sample import sample

B, T, VOCAB = 4, 16, 24


def main():
    torch.manual_seed(1337)
    model = GPT(VOCAB, dim=16, block_size=T)
    raw_model = model
    model = torch.compile(model, backend="aot_eager")
    opt = torch.optim.AdamW(raw_model.parameters(), lr=1e-2)
    data = torch.arange(4000) * 7 % VOCAB
    for step in range(9):
        ix = [(step * B + b) * T for b in range(B)]
        x = torch.stack([data[i:i + T] for i in ix])
        y = torch.stack([data[i + 1:i + T + 1] for i in ix])
        logits, loss = model(x, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"step {step} loss {loss.item():.4f}")
        if step % 4 == 3:
            model.eval()
            for row in sample(model, torch.tensor([[1, 8]]), max_length=9):
                print("   sample", row)
            model.train()
    print("FINAL", round(loss.item(), 4))


if __name__ == "__main__":
    main()
