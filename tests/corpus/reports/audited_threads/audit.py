import torch


class Audit:
    """Every few epochs: the largest error over the whole store, with all cores."""

    def __init__(self, every):
        self.every = every

    def after_epoch(self, epoch, net, store):
        if epoch % self.every:
            return
        torch.set_num_threads(3)
        with torch.no_grad():
            x, y = store.everything()
            print("audit %.4f" % (net(x) - y).abs().max().item())
