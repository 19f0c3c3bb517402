import torch
import torch.nn.functional as F


def chunk_attention(q, k, v, bias):
    w = (q @ k.transpose(-1, -2)) / q.shape[-1] ** 0.5 + bias
    return F.softmax(w, dim=-1) @ v


class AttentionByShape:
    """the best code is made for each shape, so keep one compiled function per shape"""

    def __init__(self):
        self.compiled = {}

    def __call__(self, q, k, v):
        q_len, kv_len = q.shape[1], k.shape[1]
        key = (q_len, kv_len)
        if key not in self.compiled:
            self.compiled[key] = torch.compile(chunk_attention, backend="aot_eager", dynamic=False)
        rows = torch.arange(kv_len - q_len, kv_len)[:, None]
        bias = torch.where(torch.arange(kv_len)[None] <= rows, 0.0, float("-inf"))
        return self.compiled[key](q, k, v, bias)
