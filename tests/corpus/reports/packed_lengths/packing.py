import torch

TEXT_SLOTS = 16


def pack(prompt, width, generator):
    """Pads the text to TEXT_SLOTS and says what is valid."""
    words = prompt.split()[:TEXT_SLOTS]
    text = torch.zeros(1, TEXT_SLOTS, width)
    text[:, :len(words)] = torch.randn(1, len(words), width, generator=generator)
    valid = torch.zeros(1, TEXT_SLOTS, dtype=torch.bool)
    valid[:, :len(words)] = True
    packed = {
        "valid": valid,
        "longest": 24 + len(words),
        "count": valid.sum(),
    }
    return text, packed
