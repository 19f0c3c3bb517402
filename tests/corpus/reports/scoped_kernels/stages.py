import torch
from scope import stage


@stage("gravity")
def gravity(p, v):
    return p, v - 0.01 * torch.tensor([0.0, 0.0, 9.8])


@stage("drag")
def drag(p, v):
    return p, v * torch.exp(-0.02 * v.norm(dim=1, keepdim=True))


@stage("springs")
def springs(p, v):
    return p, v - 0.05 * (p - p.roll(1, 0))


@stage("repel")
def repel(p, v):
    d = p[:, None] - p[None]
    return p, v + 0.01 * (d / (d.pow(2).sum(-1, keepdim=True) + 0.5)).sum(1)


@stage("spin")
def spin(p, v):
    return p, v + 0.02 * torch.linalg.cross(v, p)


@stage("wind")
def wind(p, v):
    return p, v + 0.01 * torch.sin(p.roll(1, 1))


@stage("limit")
def limit(p, v):
    return p, v * (2.0 / v.norm(dim=1, keepdim=True).clamp(min=2.0))


@stage("move")
def move(p, v):
    return p + 0.1 * v, v


@stage("bounce")
def bounce(p, v):
    return p, torch.where(p.abs() > 2, -0.8 * v, v)


@stage("clip")
def clip(p, v):
    return p.clamp(-2, 2), v


@stage("centre")
def centre(p, v):
    return p - 0.1 * p.mean(0), v


@stage("settle")
def settle(p, v):
    return p, torch.where(v.abs() < 1e-3, 0.0, v)


PIPELINE = [gravity, drag, springs, repel, spin, wind, limit, move, bounce, clip, centre, settle]
