"""Training and evaluation loops."""

import torch


class AverageMeter:
    def __init__(self):
        self.sum, self.count = 0.0, 0

    def update(self, value, n=1):
        self.sum += value * n
        self.count += n

    @property
    def avg(self):
        return self.sum / max(1, self.count)


@torch.no_grad()
def evaluate(model, loader, criterion):
    model.eval()
    correct, losses = 0, AverageMeter()
    for images, labels in loader:
        logits = model(images)
        losses.update(criterion(logits, labels).item(), len(labels))
        correct += (logits.argmax(1) == labels).sum().item()
    return losses.avg, correct / len(loader.dataset)


def train_one_epoch(model, loader, test_loader, criterion, optimizer, epoch, eval_every=5):
    model.train()
    losses = AverageMeter()
    for step, (images, labels) in enumerate(loader, 1):
        optimizer.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()
        losses.update(loss.item(), len(labels))
        if step % eval_every == 0:
            test_loss, accuracy = evaluate(model, test_loader, criterion)
            print(f"[{epoch}:{step}] train {losses.avg:.3f} test {test_loss:.3f} {accuracy:.1%}")
