import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import prune

SPARSITIES = {2: 0.3, 3: 0.5, 4: 0.6}
BATCH = 20


def make_leaves(n=100, seed=5):
    g = torch.Generator().manual_seed(seed)
    species = torch.randint(0, 4, (n,), generator=g)
    margins = torch.randn(n, 1, 16, 16, generator=g)
    margins += species.view(-1, 1, 1, 1) * 0.4 * torch.linspace(-1, 1, 16)
    return margins, species


class LeNet(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 3, padding=1)
        self.conv2 = nn.Conv2d(6, 12, 3, padding=1)
        self.fc1 = nn.Linear(12 * 4 * 4, 32)
        self.fc2 = nn.Linear(32, classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc2(F.relu(self.fc1(x.flatten(1))))


def prunable(model):
    return [(m, "weight") for m in model.modules() if isinstance(m, (nn.Conv2d, nn.Linear))]


def sparsity(model):
    weights = [m.weight.detach() for m, _ in prunable(model)]
    return sum((w == 0).sum().item() for w in weights) / sum(w.numel() for w in weights)


def run_epoch(model, optimizer, images, labels):
    order = torch.randperm(len(images))
    running = 0.0
    for idx in order.split(BATCH):
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(images[idx]), labels[idx])
        loss.backward()
        optimizer.step()
        running += loss.item() * len(idx)
    return running / len(images)


def main():
    torch.manual_seed(11)
    images, labels = make_leaves()
    model = LeNet()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for epoch in range(6):
        if epoch in SPARSITIES:
            prune.global_unstructured(
                prunable(model), pruning_method=prune.L1Unstructured, amount=SPARSITIES[epoch]
            )
        loss = run_epoch(model, optimizer, images, labels)
        print(f"epoch {epoch}: loss {loss:.3f}, sparsity {sparsity(model):.2f}")
    for module, name in prunable(model):
        prune.remove(module, name)


if __name__ == "__main__":
    main()
