"""Train CIFAR10 with a compiled ResNet."""

import argparse

import torch
import torch.nn as nn
import torch.optim as optim
from data import loaders
from resnet import ResNet

parser = argparse.ArgumentParser(description="CIFAR10 training")
parser.add_argument("--lr", default=0.1, type=float, help="learning rate")
parser.add_argument("--epochs", default=2, type=int)
parser.add_argument("--backend", default="aot_eager")


def train(net, loader, criterion, optimizer, epoch):
    net.train()
    train_loss, correct, total = 0.0, 0, 0
    for inputs, targets in loader:
        optimizer.zero_grad()
        outputs = net(inputs)
        loss = criterion(outputs, targets)
        loss.backward()
        optimizer.step()
        train_loss += loss.item()
        correct += outputs.argmax(1).eq(targets).sum().item()
        total += targets.size(0)
    print(f"epoch {epoch} loss {train_loss / len(loader):.3f} acc {100.0 * correct / total:.1f}%")


@torch.no_grad()
def test(net, loader, criterion):
    net.eval()
    test_loss, correct = 0.0, 0
    for inputs, targets in loader:
        outputs = net(inputs)
        test_loss += criterion(outputs, targets).item()
        correct += outputs.argmax(1).eq(targets).sum().item()
    return 100.0 * correct / len(loader.dataset)


def main():
    args = parser.parse_args()
    torch.manual_seed(0)
    trainloader, testloader = loaders(batch_size=32, test_batch_size=32)
    net = torch.compile(ResNet(), backend=args.backend)
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.SGD(net.parameters(), lr=args.lr, momentum=0.9, weight_decay=5e-4)
    scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=200)
    best_acc = 0.0
    for epoch in range(args.epochs):
        train(net, trainloader, criterion, optimizer, epoch)
        best_acc = max(best_acc, test(net, testloader, criterion))
        scheduler.step()
    print(f"best {best_acc:.1f}%")


if __name__ == "__main__":
    main()
