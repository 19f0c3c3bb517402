"""Grades lemons: phases of training and validation, the best weights kept."""

import copy
import time

import torch
from data import make_loaders
from torch import nn
from torch.optim import lr_scheduler


def build():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.2),
        nn.Linear(8 * 16, 3),
    )


def train_model(model, loaders, criterion, optimizer, scheduler, num_epochs):
    since, best, best_weights = time.time(), 0.0, None
    for epoch in range(num_epochs):
        for phase in ("train", "valid"):
            model.train(phase == "train")
            seen = corrects = 0
            running_loss = 0.0
            for inputs, labels in loaders[phase]:
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):
                    outputs = model(inputs)
                    loss = criterion(outputs, labels)
                    if phase == "train":
                        loss.backward()
                        optimizer.step()
                seen += len(labels)
                running_loss += loss.item() * len(labels)
                corrects += (outputs.argmax(1) == labels).sum().item()
            if phase == "train":
                scheduler.step()
            print(f"{epoch} {phase} loss {running_loss / seen:.4f} acc {corrects / seen:.4f}")
            if phase == "valid" and corrects / seen > best:
                best, best_weights = corrects / seen, copy.deepcopy(model.state_dict())
    print(f"{time.time() - since:.0f} s, best {best:.4f}")
    if best_weights is not None:
        model.load_state_dict(best_weights)
    return model


def main():
    torch.manual_seed(0)
    loaders = make_loaders(56, batch_size=8)
    model = torch.compile(build(), mode="default")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    scheduler = lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.1)
    train_model(model, loaders, nn.CrossEntropyLoss(), optimizer, scheduler, num_epochs=3)


if __name__ == "__main__":
    main()
