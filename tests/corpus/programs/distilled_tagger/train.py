"""Distill a tagger of words into a smaller one."""

import torch
from distill import TemperatureSchedule, kd_loss
from tagger import Tagger

EPOCHS, STEPS = 4, 3


def sentences(count, batch_size=8, length=14):
    for _ in range(count):
        words = torch.randint(0, 120, (batch_size, length))
        yield words, words % 9


def main():
    torch.manual_seed(0)
    teacher = Tagger(width=48).eval().requires_grad_(False)
    student = Tagger(width=12)
    optimizer = torch.optim.AdamW(student.parameters(), lr=3e-3)
    schedule = TemperatureSchedule(epochs=EPOCHS)
    criterion = torch.compile(kd_loss, backend="aot_eager", dynamic=False)
    for epoch in range(EPOCHS):
        temperature = schedule.at(epoch)
        for words, tags in sentences(STEPS):
            loss = criterion(student(words), teacher(words), tags, temperature)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.3f} at temperature {temperature:.2f}")


if __name__ == "__main__":
    main()
