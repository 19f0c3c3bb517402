import random

import torch
import torch.nn.functional as F
from distiller import Distiller
from latency import board_latency
from nets import accuracy, build, count_parameters
from shapes import batches, dataset
from torch._dynamo import compiled_autograd

CONFIG = {
    "seed": 21,
    "threads": 1,
    "batch_size": 16,
    "teacher": {"epochs": 6, "lr": 0.03},
    "student": {"epochs": 6, "lr": 0.03, "temperature": 4.0, "cool": 0.8},
    "backend": "aot_eager",
}


def fit_teacher(cfg, images, labels):
    teacher = build("teacher")
    optimizer = torch.optim.Adam(teacher.parameters(), lr=cfg["teacher"]["lr"])
    for _ in range(cfg["teacher"]["epochs"]):
        for x, y in batches(images, labels, cfg["batch_size"]):
            optimizer.zero_grad()
            F.cross_entropy(teacher(x)[0], y).backward()
            optimizer.step()
    return teacher


def distil(cfg, teacher, train_set, test_set):
    student = build("student")
    distiller = Distiller(student, teacher, cfg["student"]["temperature"])
    optimizer = torch.optim.Adam(
        [*student.parameters(), *distiller.regressor.parameters()], lr=cfg["student"]["lr"]
    )
    history = []
    for epoch in range(cfg["student"]["epochs"]):
        sums = dict.fromkeys(("ce", "kd", "hint"), 0.0)
        for x, y in batches(*train_set, cfg["batch_size"]):
            losses = distiller(x, y)
            loss = sum(losses.values())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            for name, value in losses.items():
                sums[name] += value.item()
        distiller.gate.advance()
        distiller.temperature = max(1.0, distiller.temperature * cfg["student"]["cool"])
        acc = accuracy(student, batches(*test_set, cfg["batch_size"], shuffle=False))
        if epoch % 5 == 4:
            board_latency(student, test_set[0][:1])
        history.append(acc)
        print(epoch, {name: round(total, 3) for name, total in sums.items()}, f"acc {acc:.2f}")
    return student, history


def main(cfg):
    torch.set_num_threads(cfg["threads"])
    random.seed(cfg["seed"])
    torch.manual_seed(cfg["seed"])
    train_set, test_set = dataset(64), dataset(32, seed=1)
    teacher = fit_teacher(cfg, *train_set)
    with compiled_autograd._enable(torch.compile(backend=cfg["backend"])):
        student, _ = distil(cfg, teacher, train_set, test_set)
    print(count_parameters(student), "parameters")


if __name__ == "__main__":
    main(CONFIG)
