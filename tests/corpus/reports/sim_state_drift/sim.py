import torch


def load_state(batch):
    """positions, one 3x3 frame per body, number of contacts: per environment"""
    g = torch.Generator().manual_seed(3)
    q = torch.randn(batch, 5, generator=g)
    frame = torch.eye(3).repeat(batch, 5, 1, 1)
    contacts = torch.zeros(batch, dtype=torch.int32)
    return q, frame, contacts


def step(q, frame, contacts):
    touching = q.abs() > 0.8
    push = torch.where(touching, -0.3 * q, 0.05 * q)
    angle = 0.1 * (q + 0.01 * contacts)
    c, s, one, zero = angle.cos(), angle.sin(), torch.ones_like(q), torch.zeros_like(q)
    turn = torch.stack([torch.stack([c, -s, zero]), torch.stack([s, c, zero]), torch.stack([zero, zero, one])])
    frame = turn.permute(2, 0, 1) @ frame
    contacts = touching.sum()
    q = q + push + 0.1 * frame[:, 0, 1]
    return q, frame.transpose(-1, -2), contacts


def reset_some(state, done):
    fresh = load_state(done.shape[0])
    keep = [(~done).view(-1, *[1] * (s.dim() - 1)) for s in state]
    q, frame, contacts = [torch.where(k, s, f) for k, s, f in zip(keep, state, fresh)]
    return q, frame.contiguous(), contacts
