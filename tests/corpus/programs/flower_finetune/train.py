"""Fine-tune a pretrained network on flowers."""

import torch
import torch.nn.functional as F
from backbone import FlowerNet
from finetune import FineTuner
from torch._dynamo import compiled_autograd
from torch.utils.data import DataLoader, TensorDataset

config = {"epochs": 3, "batch_size": 16, "lr_head": 0.05, "lr_backbone": 0.005, "unfreeze_at": 1}


def flowers(count=64):
    labels = torch.arange(count) % 5
    images = torch.randn(count, 3, 16, 16) + labels.view(-1, 1, 1, 1) / 3
    return TensorDataset(images, labels)


def main():
    torch.manual_seed(3)
    loader = DataLoader(flowers(), batch_size=config["batch_size"], shuffle=True)
    model = FlowerNet()
    model.load_pretrained()
    tuner = FineTuner(model, config["unfreeze_at"])
    optimizer = torch.optim.SGD(
        [
            {"params": model.head.parameters(), "lr": config["lr_head"]},
            {"params": model.backbone.parameters(), "lr": config["lr_backbone"]},
        ],
        momentum=0.9,
    )
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(config["epochs"]):
            tuner.at_epoch(epoch)
            hits = 0
            for images, labels in loader:
                logits = model(images)
                loss = F.cross_entropy(logits, labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                hits += (logits.argmax(1) == labels).sum().item()
            print(f"epoch {epoch}: accuracy {hits / len(loader.dataset):.2f}")


if __name__ == "__main__":
    main()
