"""Greedy search."""

import torch

BOS, EOS = 1, 2


@torch.no_grad()
def greedy(decode, images, max_new_tokens):
    token = torch.full((len(images), 1), BOS)
    finished = torch.zeros(len(images), dtype=torch.bool)
    words, past = [], None
    for _ in range(max_new_tokens):
        logits, past = decode(token, images, past)
        token = logits.argmax(-1, keepdim=True)
        finished |= token.squeeze(1) == EOS
        words.append(token.masked_fill(finished[:, None], EOS))
        if finished.all():
            break
    return torch.cat(words, dim=1)
