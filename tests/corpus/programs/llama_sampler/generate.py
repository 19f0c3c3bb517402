"""Generation after gpt-fast: prefill, then one token at a time."""

import torch


def logits_to_probs(logits, temperature=1.0, top_k=None):
    logits = logits / max(temperature, 1e-5)
    if top_k is not None:
        pivot = logits.topk(top_k).values[:, -1:]
        logits = logits.masked_fill(logits < pivot, -float("inf"))
    return logits.softmax(-1)


def sample(logits, **sampling):
    return torch.multinomial(logits_to_probs(logits, **sampling), 1)


@torch.inference_mode()
def generate(model, decode_one, prompt, max_new_tokens, **sampling):
    batch, length = prompt.shape
    model.setup_cache(batch)
    logits = model(prompt, torch.arange(length))
    token = sample(logits, **sampling)
    generated = [token]
    position = torch.tensor([length])
    for _ in range(max_new_tokens - 1):
        token = sample(decode_one(token, position), **sampling)
        generated.append(token)
        position = position + 1
    return torch.cat(generated, dim=1)
