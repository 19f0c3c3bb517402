"""Writes stories with a model."""

import torch


@torch.no_grad()
def generate(model, prompt, length, temperature=1.0, top_k=5):
    tokens = prompt
    while tokens.shape[1] < length:
        logits = model(tokens)[:, -1] / temperature
        best, places = logits.topk(top_k)
        pick = torch.multinomial(best.softmax(-1), 1)
        tokens = torch.cat([tokens, places.gather(1, pick)], dim=1)
    return tokens
