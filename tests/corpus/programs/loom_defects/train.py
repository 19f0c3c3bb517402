import torch
from fabric import Fabric
from inspector import GradientScale, Inspector
from torch.utils.data import DataLoader
from training import GradientAccumulation, evaluate, train_epoch

options = {"epochs": 3, "micro": 12, "accumulate": 2, "lr": 0.02, "head_factor": 0.5}


def main():
    torch.manual_seed(50)
    generator = torch.Generator().manual_seed(51)
    loader = DataLoader(Fabric(54, 1), options["micro"], shuffle=True, drop_last=True)
    held_out = DataLoader(Fabric(30, 2), options["micro"])
    model = Inspector()
    GradientScale(model.head, options["head_factor"])
    trainable = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.SGD(trainable, lr=options["lr"], momentum=0.9)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.7)
    accumulation = GradientAccumulation(optimizer, options["accumulate"])
    for epoch in range(options["epochs"]):
        loss = train_epoch(model, loader, accumulation, epoch, generator)
        scheduler.step()
        print(f"epoch {epoch} loss {loss:.3f} right {evaluate(model, held_out):.2f}")


if __name__ == "__main__":
    main()
