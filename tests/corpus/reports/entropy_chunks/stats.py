import torch


def _entropy(rows):
    logp = torch.log_softmax(rows, dim=-1)
    return -(logp.exp() * logp).sum(-1)


@torch.compile(backend="aot_eager")
def entropy_from_logits(logits, chunk_size=32):
    """entropy of each position, in chunks to save memory"""
    flat = logits.reshape(-1, logits.shape[-1])
    out = []
    for i in range(0, flat.shape[0], chunk_size):
        out.append(_entropy(flat[i:i + chunk_size]))
    return torch.cat(out).reshape(logits.shape[:-1])
