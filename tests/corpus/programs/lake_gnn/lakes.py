"""Food webs of lakes as graphs, and batches of them as one graph."""

import torch


class Data:
    def __init__(self, x, edge_index, y, batch=None, num_graphs=1):
        self.x, self.edge_index, self.y = x, edge_index, y
        self.batch, self.num_graphs = batch, num_graphs


def food_web(g, species=10, links=24):
    x = torch.randn(species, 6, generator=g)
    edge_index = torch.randint(0, species, (2, links), generator=g)
    y = (x[edge_index[0], 0] * x[edge_index[1], 1]).mean()
    return Data(x, edge_index, (y > 0).long())


def collate(graphs):
    shift, parts, batch = 0, [], []
    for number, graph in enumerate(graphs):
        parts.append(graph.edge_index + shift)
        batch.append(torch.full((len(graph.x),), number))
        shift += len(graph.x)
    return Data(
        torch.cat([graph.x for graph in graphs]),
        torch.cat(parts, dim=1),
        torch.stack([graph.y for graph in graphs]),
        torch.cat(batch),
        len(graphs),
    )


class DataLoader(torch.utils.data.DataLoader):
    def __init__(self, dataset, batch_size=1, shuffle=False, **kwargs):
        super().__init__(dataset, batch_size, shuffle, collate_fn=collate, **kwargs)
