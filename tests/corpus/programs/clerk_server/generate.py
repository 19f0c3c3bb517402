import torch
from torch import Tensor
from transformer import Transformer


def logits_to_probs(logits: Tensor, temperature: Tensor, top_k: int) -> Tensor:
    logits = logits / temperature.clamp(min=1e-5)[:, None]
    pivot = torch.topk(logits, top_k).values[:, -1:]
    return torch.where(logits < pivot, -float("Inf"), logits).softmax(dim=-1)


def multinomial_sample_one_no_sync(probs: Tensor, noise: Tensor) -> Tensor:
    return torch.argmax(probs / noise, dim=-1)


def prefill(
    model: Transformer,
    x: Tensor,
    input_pos: Tensor,
    last: Tensor,
    temperature: Tensor,
    noise: Tensor,
) -> Tensor:
    logits = model(x, input_pos)
    logits = logits.gather(1, last[:, None, None].expand(-1, 1, logits.size(-1)))[:, 0]
    return multinomial_sample_one_no_sync(logits_to_probs(logits, temperature, 8), noise)


def decode_one_token(
    model: Transformer, x: Tensor, input_pos: Tensor, temperature: Tensor, noise: Tensor
) -> Tensor:
    logits = model(x[:, None], input_pos[:, None])[:, -1]
    return multinomial_sample_one_no_sync(logits_to_probs(logits, temperature, 8), noise)
