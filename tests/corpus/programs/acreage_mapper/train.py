"""Map crops with accelerate."""

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from fields import get_loaders
from mapper import CropMapper


@torch.no_grad()
def validate(model, loader):
    model.eval()
    right = pixels = 0
    for bands, crops in loader:
        predicted = model(bands).argmax(1)
        right += (predicted == crops).sum().item()
        pixels += crops.numel()
    model.train()
    return right / pixels


def main(epochs=3, lr=1e-2):
    accelerator = Accelerator(cpu=True)
    set_seed(0)
    train_loader, val_loader = get_loaders(batch_size=8)
    model = CropMapper()
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=lr, total_steps=epochs * len(train_loader)
    )
    model, optimizer, train_loader, val_loader, scheduler = accelerator.prepare(
        model, optimizer, train_loader, val_loader, scheduler
    )
    compiled = torch.compile(model, backend="aot_eager")
    for epoch in range(epochs):
        compiled.train()
        for bands, crops in train_loader:
            loss = F.cross_entropy(compiled(bands), crops)
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        accelerator.print(f"epoch {epoch}: accuracy {validate(compiled, val_loader):.3f}")


if __name__ == "__main__":
    main()
