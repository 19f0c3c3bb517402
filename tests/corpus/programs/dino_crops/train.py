"""Self-distillation without labels, after DINO's main_dino.py."""

import copy
import math

import torch
import torch.nn.functional as F
from dino_loss import DINOLoss
from torch._dynamo import compiled_autograd
from vision import MultiCropWrapper

EPOCHS, STEPS, BATCH, LOCAL = 4, 4, 8, 2
FREEZE_LAST_LAYER = 1


def augment(images):
    flipped = images.flip(-1)
    globals_ = [images + 0.1 * torch.randn_like(images), flipped + 0.1 * torch.randn_like(images)]
    corners = torch.randint(0, 9, (LOCAL, 2)).tolist()
    return globals_ + [
        F.interpolate(images[..., y : y + 8, x : x + 8], scale_factor=1) for y, x in corners
    ]


def cancel_gradients_last_layer(epoch, model, freeze_last_layer):
    if epoch >= freeze_last_layer:
        return
    for n, p in model.named_parameters():
        if "last_layer" in n:
            p.grad = None


def cosine(base, final, step, total):
    return final + 0.5 * (base - final) * (1 + math.cos(math.pi * step / total))


def main():
    torch.manual_seed(0)
    student = MultiCropWrapper()
    teacher = copy.deepcopy(student).requires_grad_(False)
    dino_loss = DINOLoss(out_dim=32, epochs=EPOCHS)
    optimizer = torch.optim.AdamW(student.parameters(), lr=5e-4)
    step, total = 0, EPOCHS * STEPS
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(EPOCHS):
            for _ in range(STEPS):
                optimizer.param_groups[0]["lr"] = cosine(5e-4, 1e-6, step, total)
                optimizer.param_groups[0]["weight_decay"] = cosine(0.04, 0.4, step, total)
                crops = augment(torch.rand(BATCH, 3, 16, 16))
                with torch.no_grad():
                    teacher_output = teacher(crops[:2])
                loss = dino_loss(student(crops), teacher_output, epoch, len(crops))
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(student.parameters(), 3.0)
                cancel_gradients_last_layer(epoch, student, FREEZE_LAST_LAYER)
                optimizer.step()
                with torch.no_grad():
                    m = cosine(0.99, 1.0, step, total)
                    pairs = zip(student.parameters(), teacher.parameters(), strict=True)
                    for ps, pt in pairs:
                        pt.mul_(m).add_(ps, alpha=1 - m)
                step += 1
            print(f"epoch {epoch}: loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
