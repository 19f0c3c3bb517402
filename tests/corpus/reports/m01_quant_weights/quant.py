import torch


def quant_tensor_sym(weight, v, bits=4, group_size=8):
    """Symmetric fake quantisation with a learnable rounding offset v."""
    rows, cols = weight.shape
    w = weight.reshape(-1, group_size)
    r = v.reshape(-1, group_size)
    qmax = 2 ** (bits - 1) - 1
    scale = (w.abs().amax(dim=1, keepdim=True) / qmax).clamp(min=1e-6)
    q = w / scale + r
    q = q + (q.round() - q).detach()
    q = q.clamp(-qmax - 1, qmax)
    return (q * scale).reshape(rows, cols)


compiled_quant = torch.compile(quant_tensor_sym, backend="eager", dynamic=True)
