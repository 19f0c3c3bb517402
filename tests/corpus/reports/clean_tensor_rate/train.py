import torch


def make_step(opt):
    """the update as one compiled function; the scheduler stays outside"""

    @torch.compile(backend="aot_eager", fullgraph=False)
    def update():
        opt.step()

    return update
