import torch
from features import batches
from model import ClickModel


def main():
    torch.manual_seed(0)
    model = ClickModel(keys=("user", "item", "shop"), rows=30, dim=6)
    opt = torch.optim.Adagrad(model.parameters(), lr=0.1)
    fast = torch.compile(model, backend="aot_eager")
    for step, (bag, label) in enumerate(batches(8)):
        loss = torch.nn.functional.binary_cross_entropy_with_logits(fast(bag), label)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"step {step} ids {bag.length_per_key} loss {loss.item():.4f}")
    print("FINAL", round(loss.item(), 5))


if __name__ == "__main__":
    main()
