import torch
import torch.nn.functional as F


def train_step(model, opt, seed):
    g = torch.Generator().manual_seed(seed)
    tokens = torch.randint(0, 24, (4, 13), generator=g)
    logits = model(tokens[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    return loss.item(), norm.item()
