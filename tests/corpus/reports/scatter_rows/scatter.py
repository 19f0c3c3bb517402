import torch


def scatter_sum(src, index, dim_size=None):
    if dim_size is None:
        dim_size = int(index.max()) + 1
    out = torch.zeros(dim_size, src.shape[1], dtype=src.dtype)
    return out.index_add(0, index, src)
