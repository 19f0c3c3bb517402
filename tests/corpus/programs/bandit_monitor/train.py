"""Learns from logged clicks which advertisement to show."""

import torch
from monitor import GradientMonitor
from policy import Values, logged_clicks
from torch._dynamo import compiled_autograd
from torch.nn import functional
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, TensorDataset

SETTINGS = {
    "batch_size": 16,
    "epochs": 2,
    "optimizer": {"lr": 0.02, "weight_decay": 1e-4},
    "watch": ["context.weight"],
}


def make_loader(settings):
    data = TensorDataset(*logged_clicks())
    batches = BatchSampler(RandomSampler(data), settings["batch_size"], drop_last=False)
    return DataLoader(data, batch_sampler=batches)


def main(settings):
    torch.manual_seed(0)
    model = Values()
    monitor = GradientMonitor(model, settings["watch"])
    optimizer = torch.optim.AdamW(model.parameters(), **settings["optimizer"])
    loader = make_loader(settings)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _ in range(settings["epochs"]):
            for context, advert, click in loader:
                values = model(context, advert)
                loss = functional.binary_cross_entropy_with_logits(values, click)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    monitor.close()


if __name__ == "__main__":
    main(SETTINGS)
