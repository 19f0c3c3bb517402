"""Semi-supervised segmentation of clover with a mean teacher."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from fields import endless, loaders
from teacher import MeanTeacher, SegNet, sigmoid_rampup


@dataclass
class Hparams:
    steps: int = 12
    accumulate: int = 2
    batch_size: int = 4
    lr: float = 0.02
    consistency: float = 5.0
    rampup: int = 8
    ema_decay: float = 0.95
    valid_every: int = 4


class GradientStatistics:
    """Mean size of what arrives at the logits."""

    def __init__(self):
        self.size = torch.zeros(())

    def watch(self, logits):
        def note(grad):
            self.size.mul_(0.9).add_(grad.abs().mean(), alpha=0.1)

        return logits.register_hook(note)


def jitter(images, strength):
    return images * (1 + strength * torch.randn(len(images), 1, 1, 1))


@torch.no_grad()
def validate(model, loader):
    was_training = model.training
    model.eval()
    right = [(model(images).argmax(1) == masks).float().mean() for images, masks in loader]
    model.train(was_training)
    return torch.stack(right).mean().item()


def main(hp):
    torch.manual_seed(77)
    labeled, unlabeled, valid = loaders(hp.batch_size)
    labeled, unlabeled = endless(labeled), endless(unlabeled)
    student = SegNet()
    teacher = MeanTeacher(student, hp.ema_decay)
    optimizer = torch.optim.SGD(student.parameters(), lr=hp.lr, momentum=0.9, nesterov=True)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=hp.lr, total_steps=hp.steps // hp.accumulate + 1
    )
    statistics = GradientStatistics()
    for p in student.parameters():
        p.grad = torch.zeros_like(p)

    for step in range(hp.steps):
        images, masks = next(labeled)
        extra = next(unlabeled)
        weight = hp.consistency * sigmoid_rampup(step, hp.rampup)
        logits = student(torch.cat([images, jitter(extra, 0.1 + 0.01 * step)]))
        handle = statistics.watch(logits)
        supervised, other = logits.split(hp.batch_size)
        target = teacher(jitter(extra, 0.1))
        loss = F.cross_entropy(supervised, masks)
        loss = loss + weight * F.mse_loss(other.softmax(1), target)
        (loss / hp.accumulate).backward(retain_graph=step % 2 == 0)
        handle.remove()
        if (step + 1) % hp.accumulate == 0:
            torch.nn.utils.clip_grad_norm_(student.parameters(), 2.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)
            scheduler.step()
            teacher.follow(student)
        if (step + 1) % hp.valid_every == 0:
            scores = validate(student, valid), validate(teacher.model, valid)
            print(f"{step}: loss {loss.item():.3f} student {scores[0]:.3f} teacher {scores[1]:.3f}")
    print(f"gradients {statistics.size.item():.2e}")


if __name__ == "__main__":
    with torch._dynamo.compiled_autograd._enable(torch.compile(backend="aot_eager")):
        main(Hparams())
