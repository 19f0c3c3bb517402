"""Learns where a toothbrush is; a step is taken every third batch."""

import torch
from brush import PLACES, Motion
from hooks import fading_noise
from torch import nn
from torch.utils.data import DataLoader

torch._dynamo.config.compiled_autograd = True


def main(epochs=1, accumulate=3):
    torch.manual_seed(39)
    model = nn.Sequential(
        nn.Conv1d(2, 8, 5), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(8, PLACES)
    )
    model[-1].weight.register_hook(fading_noise(scale=0.01, decay=0.55))
    loader = DataLoader(Motion(48), batch_size=8, shuffle=True)
    optimizer = torch.optim.RAdam(model.parameters(), lr=0.01)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.02, total_steps=epochs * 2)

    @torch.compile(backend="aot_eager")
    def training_step(motion, place):
        loss = nn.functional.cross_entropy(model(motion), place) / accumulate
        loss.backward()
        return loss.detach()

    for epoch in range(epochs):
        total = torch.zeros(())
        for number, batch in enumerate(loader, start=1):
            total += training_step(*batch)
            if number % accumulate == 0:
                nn.utils.clip_grad_value_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
                scheduler.step()
        print(f"epoch {epoch}: {total:.3f}")


if __name__ == "__main__":
    main()
