"""Fashion-MNIST with a small CNN, with a compiled backward."""

import torch
import torch.nn as nn
from dataset import get_loaders
from loops import evaluate, train_one_epoch
from models import FashionCNN
from torch._dynamo import compiled_autograd
from torch.optim.lr_scheduler import CosineAnnealingLR

EPOCHS = 2


def main():
    torch.manual_seed(0)
    train_loader, test_loader = get_loaders()
    model = FashionCNN()
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
    scheduler = CosineAnnealingLR(optimizer, T_max=EPOCHS)
    best = 0.0
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(EPOCHS):
            train_one_epoch(model, train_loader, test_loader, criterion, optimizer, epoch)
            _, accuracy = evaluate(model, test_loader, criterion)
            best = max(best, accuracy)
            scheduler.step()
    print(f"best accuracy {best:.1%}")


if __name__ == "__main__":
    main()
