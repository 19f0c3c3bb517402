import torch
from forecaster import Forecaster, ConditionalNorm
from trainer import Trainer


def main():
    torch.manual_seed(0)
    torch.set_num_threads(2)
    model = Forecaster(nodes=12, dim=8, layers=2)
    for m in model.modules():
        if isinstance(m, ConditionalNorm):
            m.compile(backend="aot_eager")
    trainer = Trainer(model)
    for epoch in range(3):
        train = trainer.train_epoch(epoch)
        val = trainer.validate()
        print(f"epoch {epoch} train {train:.5f} val {val:.5f}")
    print("FINAL", round(val, 5))


if __name__ == "__main__":
    main()
