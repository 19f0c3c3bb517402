"""Trains the classifier of leaves until it no longer gets better."""

import torch
from network import LeafNet
from sampling import BalancedBatches
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset


class EarlyStopping:
    def __init__(self, patience):
        self.patience = patience
        self.history = []

    def stops(self, value):
        self.history.append(value)
        best = self.history.index(min(self.history))
        return len(self.history) - best > self.patience


def photographs(count):
    disease = torch.multinomial(torch.tensor([0.7, 0.2, 0.1]), count, replacement=True)
    photos = torch.rand(count, 3, 16, 16)
    photos[:, 0] += 0.2 * disease[:, None, None]
    return photos, disease


def focal(logits, disease, gamma):
    losses = functional.cross_entropy(logits, disease, reduction="none")
    return ((1 - torch.exp(-losses)) ** gamma * losses).mean()


def main(epochs=6):
    torch.manual_seed(0)
    photos, disease = photographs(70)
    model = LeafNet()
    classify = torch.compile(model, backend="eager", fullgraph=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    batches = BalancedBatches(disease, batch_size=16)
    loader = DataLoader(TensorDataset(photos, disease), batch_sampler=batches)
    stopping = EarlyStopping(patience=2)
    for epoch in range(epochs):
        batches.set_epoch(epoch)
        total = torch.zeros(())
        for images, labels in loader:
            brightness = images.mean((1, 2, 3), keepdim=True)
            loss = focal(classify(images, brightness=brightness), labels, gamma=2 - epoch / 4)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.detach()
        with torch.no_grad():
            held_out, wanted = photographs(16)
            light = held_out.mean((1, 2, 3), keepdim=True)
            score = (classify(held_out, brightness=light).argmax(1) == wanted).float().mean()
        print(f"epoch {epoch}: {total.item() / len(batches):.3f}, {score.item():.2f} right")
        if stopping.stops(total.item()):
            break


if __name__ == "__main__":
    main()
