"""Trains GraphSAGE on sampled neighbourhoods and reports which units matter."""

import torch
from graph import Graph, NeighbourSampler
from sage import Sage
from torch._dynamo import compiled_autograd
from torch.nn import functional

CONFIG = {"batch_size": 16, "fanout": 4, "epochs": 3, "lr": 5e-3, "report_every": 6}


def fit(graph, model, config):
    sampler = NeighbourSampler(graph, config["batch_size"], config["fanout"])
    optimizer = torch.optim.Adam(model.parameters(), lr=config["lr"])
    step = 0
    for _ in range(config["epochs"]):
        for papers, cited in sampler:
            logits = model(graph.features[papers], graph.features[cited])
            reporting = step % config["report_every"] == 3
            if reporting:
                model.hidden.retain_grad()
            loss = functional.cross_entropy(logits, graph.fields[papers])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if reporting:
                print(f"step {step}: unit {model.saliency().argmax().item()}")
            step += 1


def main():
    torch.manual_seed(0)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        fit(Graph.random(), Sage(), CONFIG)


if __name__ == "__main__":
    main()
