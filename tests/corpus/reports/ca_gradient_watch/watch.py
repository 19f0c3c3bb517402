class GradientWatch:
    """Remembers the largest gradient norm of every parameter."""

    def __init__(self, net):
        self.peak = {}
        for name, p in net.named_parameters():
            self.peak[name] = 0.0
            p.register_post_accumulate_grad_hook(self.observer(name))

    def observer(self, name):
        def observe(p):
            size = p.grad.norm().item()
            if size > self.peak[name]:
                self.peak[name] = size
        return observe

    def total(self):
        return sum(self.peak.values())
