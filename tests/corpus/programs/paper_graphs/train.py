"""Classify papers with GraphSAGE and neighbor sampling."""

import torch
import torch.nn.functional as F
from sage import GraphSAGE
from sampler import NeighborSampler, PaperGraph
from torch._dynamo import compiled_autograd

STEPS = 6


def main():
    torch.manual_seed(0)
    graph = PaperGraph()
    loader = NeighborSampler(graph, batch_size=16)
    model = GraphSAGE().train()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    compiler = torch.compile(backend="eager", dynamic=False)
    with compiled_autograd._enable(compiler):
        for step, sub in enumerate(loader):
            if step == STEPS:
                break
            out = model(sub.x, sub.edge_index)[: sub.batch_size]
            loss = F.cross_entropy(out, sub.y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            accuracy = (out.argmax(-1) == sub.y).float().mean().item()
            print(f"step {step}: {len(sub.x)} nodes, loss {loss.item():.3f}, {accuracy:.2f}")


if __name__ == "__main__":
    main()
