import torch
from trainer import Trainer


def main():
    torch.manual_seed(0)
    t = Trainer(batch=4)
    for epoch in range(4):
        train_loss = t.train_one_epoch(epoch)
        val_loss = t.validate()
        print(f"epoch {epoch} train {train_loss:.4f} val {val_loss:.4f}")
    print("FINAL", round(val_loss, 4))


if __name__ == "__main__":
    main()
