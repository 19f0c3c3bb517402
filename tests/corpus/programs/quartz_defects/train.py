# Quartz slab defects, from the notebook `slab-baseline-v4`
import os
import random

import numpy as np
import torch
from losses import FocalLoss, macro_f1
from net import DefectNet
from torch.utils.data import DataLoader, TensorDataset


class CFG:
    seed = 2024
    n_classes = 5
    img_size = 24
    bs = 16
    epochs = 6
    lr = 2e-3
    gamma_step = 0.4


def seed_everything(seed):
    random.seed(seed)
    os.environ["PYTHONHASHSEED"] = str(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


seed_everything(CFG.seed)

# --- data
images = np.random.rand(64, 1, CFG.img_size, CFG.img_size).astype(np.float32)
labels = (np.random.rand(64, CFG.n_classes) < 0.3).astype(np.float32)
images[:, 0, :5, :5] += labels[:, :1, None]
fold = np.arange(64) % 4 == 0
trn = TensorDataset(torch.from_numpy(images[~fold]), torch.from_numpy(labels[~fold]))
val = TensorDataset(torch.from_numpy(images[fold]), torch.from_numpy(labels[fold]))
trn_loader = DataLoader(trn, batch_size=CFG.bs, shuffle=True)
val_loader = DataLoader(val, batch_size=CFG.bs)

# --- model
model = DefectNet(CFG.n_classes)
criterion = FocalLoss()
model = torch.compile(model, backend="aot_eager")
compiled_criterion = torch.compile(criterion, backend="aot_eager")
optimizer = torch.optim.AdamW(model.parameters(), lr=CFG.lr, weight_decay=1e-2)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, CFG.epochs)


def train_fn(epoch):
    model.train()
    total = 0.0
    for x, y in trn_loader:
        optimizer.zero_grad()
        loss = compiled_criterion(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / len(trn_loader)


@torch.inference_mode()
def valid_fn():
    model.eval()
    logits, targets = zip(*[(model(x), y) for x, y in val_loader], strict=True)
    return macro_f1(torch.cat(logits), torch.cat(targets)).item()


best = -1.0
for epoch in range(CFG.epochs):
    criterion.gamma = epoch * CFG.gamma_step
    loss = train_fn(epoch)
    scheduler.step()
    score = valid_fn()
    if score > best:
        best = score
        state = {k: v.clone() for k, v in model.state_dict().items()}
    stats = model._orig_mod.activation_stats
    print(f"{epoch=} {loss=:.4f} f1={score:.4f} act={np.mean(stats):.3f}")
