import torch


@torch.no_grad()
def sample(model, prefix, max_length, copies=2):
    x = prefix.repeat(copies, 1)
    while x.size(1) < max_length:
        logits, _ = model(x)
        x = torch.cat((x, logits[:, -1].argmax(-1, keepdim=True)), dim=1)
    return x.tolist()
