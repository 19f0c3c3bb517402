import torch
from gan import Trainer


def main():
    torch.manual_seed(0)
    trainer = Trainer(latent=4)
    for step in range(5):
        d, g = trainer.step(step)
        print(f"step {step} d {d:.4f} g {g:.4f}")
    print("FINAL", round(d + g, 4))


if __name__ == "__main__":
    main()
