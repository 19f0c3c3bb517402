def masked_accuracy(logits, target, mask):
    hit = (logits.argmax(-1) == target) * mask
    return hit.sum().item() / (mask.sum().item() + 1e-6)
