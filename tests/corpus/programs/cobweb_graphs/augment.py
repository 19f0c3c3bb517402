import torch


def drop_edges(edge_index_dict, p, generator):
    """DropEdge (Rong et al., 2020), for each relation on its own."""
    out = {}
    for name, edge_index in edge_index_dict.items():
        keep = torch.rand(edge_index.size(1), generator=generator) >= p
        out[name] = edge_index[:, keep]
    return out


def mask_features(x, p, generator):
    keep = torch.rand(x.size(1), generator=generator) >= p
    return x * keep
