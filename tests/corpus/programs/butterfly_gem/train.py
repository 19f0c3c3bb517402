import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class CFG:
    seed = 42
    n_classes = 8
    img_size = 32
    n_fold = 4
    batch_size = 16
    epochs = 5
    lr = 2e-3
    p_start, p_end = 1.5, 3.5  # average-like pooling first, sharper later


def get_data():
    g = torch.Generator().manual_seed(CFG.seed)
    labels = torch.arange(96) % CFG.n_classes
    wings = torch.rand(CFG.n_classes, 3, CFG.img_size, CFG.img_size, generator=g)
    images = wings[labels] + 0.3 * torch.randn(96, 3, CFG.img_size, CFG.img_size, generator=g)
    return TensorDataset(images, labels)


class GeM(nn.Module):
    def __init__(self, p=3.0, eps=1e-6):
        super().__init__()
        self.p = p
        self.eps = eps

    def forward(self, x):
        x = x.clamp(min=self.eps).pow(self.p)
        return F.avg_pool2d(x, (x.size(-2), x.size(-1))).pow(1.0 / self.p).flatten(1)


class ButterflyModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(3, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.SiLU(),
            nn.Conv2d(16, 32, 3, 2, 1), nn.BatchNorm2d(32), nn.SiLU(),
        )  # fmt: skip
        self.pooling = GeM(CFG.p_start)
        self.head = nn.Linear(32, CFG.n_classes)

    def forward(self, images):
        return self.head(self.pooling(self.backbone(images)))


def train_fn(loader, model, optimizer, scheduler, epoch):
    model.train()
    model.pooling.p = CFG.p_start + (CFG.p_end - CFG.p_start) * epoch / (CFG.epochs - 1)
    losses = []
    for images, labels in loader:
        loss = F.cross_entropy(model(images), labels, label_smoothing=0.05)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 10.0)
        optimizer.step()
        optimizer.zero_grad()
        scheduler.step()
        losses.append(loss.item())
    return sum(losses) / len(losses)


torch.manual_seed(CFG.seed)
loader = DataLoader(get_data(), CFG.batch_size, shuffle=True, drop_last=True)
model = ButterflyModel()
optimizer = torch.optim.AdamW(model.parameters(), lr=CFG.lr)
scheduler = torch.optim.lr_scheduler.OneCycleLR(
    optimizer, CFG.lr, epochs=CFG.epochs, steps_per_epoch=len(loader)
)
for epoch in range(CFG.epochs):
    avg_loss = train_fn(loader, model, optimizer, scheduler, epoch)
    print(f"Epoch {epoch + 1} - avg_train_loss: {avg_loss:.4f} p: {model.pooling.p:.2f}")
