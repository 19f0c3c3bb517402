import torch


def raw2outputs(rgb, sigma, z_vals, white_bkgd):
    dists = torch.cat([z_vals[:, 1:] - z_vals[:, :-1], torch.full_like(z_vals[:, :1], 1e2)], -1)
    alpha = 1.0 - torch.exp(-torch.relu(sigma) * dists)
    clear = torch.cat([torch.ones_like(alpha[:, :1]), 1.0 - alpha + 1e-10], -1)
    weights = alpha * torch.cumprod(clear, -1)[:, :-1]
    rgb_map = (weights[..., None] * rgb).sum(-2)
    if white_bkgd:
        rgb_map = rgb_map + (1.0 - weights.sum(-1, keepdim=True))
    return rgb_map, weights


def render_rays(model, rays_o, rays_d, progress, *, near=1.0, far=3.0, n_samples=12, perturb=True):
    t_vals = torch.linspace(0.0, 1.0, n_samples)
    z_vals = (near * (1.0 - t_vals) + far * t_vals).expand(len(rays_o), n_samples)
    if perturb:
        z_vals = z_vals + torch.rand(z_vals.shape) * (far - near) / n_samples
    pts = rays_o[:, None] + rays_d[:, None] * z_vals[..., None]
    rgb, sigma = model(pts, rays_d[:, None].expand_as(pts), progress)
    rgb_map, weights = raw2outputs(rgb, sigma, z_vals, white_bkgd=True)
    depth = (weights * z_vals).sum(-1)
    return rgb_map, depth
