from torch import Tensor


def scatter_add(src: Tensor, index: Tensor, dim_size: int) -> Tensor:
    out = src.new_zeros(dim_size, src.size(-1))
    return out.index_add(0, index, src)


def global_add_pool(x: Tensor, batch: Tensor, size: int | None = None) -> Tensor:
    r"""Returns batch-wise graph-level outputs by adding node features.

    Args:
        x: Node features :math:`\mathbf{X} \in \mathbb{R}^{N \times F}`.
        batch: The batch vector, which assigns each node to an example.
        size: The number of examples. Automatically calculated if not given.
    """
    size = int(batch.max().item() + 1) if size is None else size
    return scatter_add(x, batch, dim_size=size)
