"""Train the detector of road signs, with a compiled training step."""

import torch
from detector import SignDetector, detection_loss
from metrics import Recall


def scenes(count, batch_size=4, cells=64, seed=0):
    g = torch.Generator().manual_seed(seed)
    for _ in range(count):
        images = torch.rand(batch_size, 3, 32, 32, generator=g)
        labels = torch.randint(0, 4, (batch_size, cells), generator=g)
        labels[torch.rand(labels.shape, generator=g) < 0.9] = -1
        yield images, labels, torch.rand(batch_size, cells, 4, generator=g)


def main():
    torch.manual_seed(0)
    model = SignDetector()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    recall = Recall()

    @torch.compile(backend="eager")
    def forward_step(images, labels, targets):
        logits, boxes = model(images)
        return detection_loss(logits, boxes, labels, targets), logits

    for step, (images, labels, targets) in enumerate(scenes(10)):
        loss, logits = forward_step(images, labels, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        recall.update(logits, labels)
        if step % 5 == 0:
            print(f"step {step}: loss {loss.item():.3f} recall {recall.compute():.2f}")


if __name__ == "__main__":
    main()
