"""Semi-supervised training: the student agrees with a teacher on points without labels."""

import torch
from data import TwoMoons
from teacher import MeanTeacher
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional


def ramp(step, length=5, highest=0.5):
    return highest * min(1.0, step / length)


def jitter(inputs, strength):
    return inputs + strength * torch.randn_like(inputs)


def train(student, teacher, batches):
    optimizer = torch.optim.SGD(student.parameters(), lr=0.05, momentum=0.9)
    for step, batch in enumerate(batches):
        supervised = functional.cross_entropy(student(batch.labelled), batch.labels)
        targets = teacher(jitter(batch.unlabelled, 0.05))
        answers = torch.softmax(student(jitter(batch.unlabelled, 0.2)), -1)
        consistency = functional.mse_loss(answers, targets)
        loss = supervised + ramp(step) * consistency
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        teacher.update()


def main():
    torch.manual_seed(0)
    student = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
    with compiled_autograd._enable(torch.compile(backend="eager")):
        train(student, MeanTeacher(student), TwoMoons())


if __name__ == "__main__":
    main()
