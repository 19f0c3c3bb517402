"""Embeds a knowledge graph with self-adversarial negatives."""

import torch
from config import Config
from graph import Triples
from model import Translation
from torch._dynamo import compiled_autograd
from torch.nn import functional


def objective(true, false, margin, heat):
    weights = torch.softmax(-false.detach() * heat, dim=1)
    gaps = functional.margin_ranking_loss(
        false,
        true.unsqueeze(1).expand_as(false),
        torch.ones_like(false),
        margin=margin,
        reduction="none",
    )
    return (weights * gaps).sum(1).mean()


def run(config):
    torch.manual_seed(1)
    model, triples = Translation(config), Triples(config)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=config.lr)
    for epoch in range(config.epochs):
        margin = config.margin + config.margin_growth * epoch
        heat = config.heat / (1 + epoch)
        for batch in triples.batches():
            loss = objective(*model(*batch), margin, heat)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            model.project()


if __name__ == "__main__":
    with compiled_autograd._enable(torch.compile(backend="eager")):
        run(Config())
