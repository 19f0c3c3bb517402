import torch
from grpo import GRPOTrainer


def main():
    torch.manual_seed(0)
    trainer = GRPOTrainer(vocab=24, dim=12)
    g = torch.Generator().manual_seed(0)
    for step, completion in enumerate([9, 14, 30, 21, 40, 5]):
        tokens = torch.randint(0, 24, (4, completion), generator=g)
        loss, entropy = trainer.step(tokens)
        print(f"step {step} completion {completion} loss {loss:.4f} entropy {entropy:.4f}")
    print("FINAL", round(entropy, 5))


if __name__ == "__main__":
    main()
