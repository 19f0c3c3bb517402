from torch import nn


def scatter(src, index, dim_size, reduce="sum"):
    out = src.new_zeros(dim_size, src.size(-1)).index_add(0, index, src)
    if reduce == "mean":
        count = src.new_zeros(dim_size).index_add(0, index, src.new_ones(len(index)))
        out = out / count.clamp(min=1).unsqueeze(-1)
    return out


def global_mean_pool(x, batch, size=None):
    """Averages the nodes of each graph; `size` is the number of graphs, if it is known."""
    if batch is None:
        return x.mean(dim=0, keepdim=True)
    size = int(batch.max().item() + 1) if size is None else size
    return scatter(x, batch, size, reduce="mean")


class SAGEConv(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.lin_l = nn.Linear(in_channels, out_channels)
        self.lin_r = nn.Linear(in_channels, out_channels, bias=False)

    def forward(self, x, edge_index):
        source, target = edge_index
        neighbours = scatter(x[source], target, x.size(0), reduce="mean")
        return self.lin_l(neighbours) + self.lin_r(x)


class GNN(nn.Module):
    def __init__(self, in_channels, hidden, num_classes, num_layers=2, dropout=0.2):
        super().__init__()
        sizes = [in_channels] + [hidden] * num_layers
        self.convs = nn.ModuleList([SAGEConv(sizes[i], sizes[i + 1]) for i in range(num_layers)])
        self.dropout = nn.Dropout(dropout)
        self.lin = nn.Linear(hidden, num_classes)

    def forward(self, x, edge_index, batch):
        for conv in self.convs:
            x = self.dropout(conv(x, edge_index).relu())
        x = global_mean_pool(x, batch)
        return self.lin(x)
