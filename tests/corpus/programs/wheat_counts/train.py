# %% [markdown]
# Wheat heads: count regression, fold 0
# %%
import torch
import torch.nn.functional as F
from dataset import SCALES, MultiScaleCollate, WheatDataset
from model import CountNet
from torch.utils.data import DataLoader
from utils import AverageMeter, mixup, seed_everything

SEED = 2020
EPOCHS = 3
BATCH_SIZE = 12
LR = 3e-3
MIXUP_ALPHA, MIXUP_P = 0.4, 0.7

seed_everything(SEED)

# %%
train_loader = DataLoader(
    WheatDataset(60, seed=1),
    batch_size=BATCH_SIZE,
    shuffle=True,
    drop_last=True,
    collate_fn=MultiScaleCollate(SCALES),
)
valid_loader = DataLoader(WheatDataset(24, seed=2), batch_size=BATCH_SIZE)

model = CountNet()
optimizer = torch.optim.Adam(model.parameters(), lr=LR)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS * len(train_loader))


# %%
@torch.compile(backend="aot_eager")
def mixed_loss(images, a, b, lam):
    out = model(images)
    return lam * F.smooth_l1_loss(out, a) + (1 - lam) * F.smooth_l1_loss(out, b)


def train_fn(epoch):
    model.train()
    meter = AverageMeter()
    for images, counts in train_loader:
        images, a, b, lam = mixup(images, counts, MIXUP_ALPHA, MIXUP_P)
        loss = mixed_loss(images, a, b, lam)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        scheduler.step()
        meter.update(loss.item(), len(images))
    return meter.avg


@torch.inference_mode()
def valid_fn():
    model.eval()
    errors = []
    for images, counts in valid_loader:
        # TTA: left-right
        out = (model(images) + model(images.flip(-1))) / 2
        errors.append((out - counts).abs())
    return torch.cat(errors).mean().item()


# %%
best = 1e9
for epoch in range(EPOCHS):
    train_loss = train_fn(epoch)
    mae = valid_fn()
    best = min(best, mae)
    print(f"epoch {epoch} | train {train_loss:.4f} | valid mae {mae:.3f} | best {best:.3f}")
