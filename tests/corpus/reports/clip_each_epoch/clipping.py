class HookClipper:
    """Clamps each gradient as soon as it has been accumulated."""

    def __init__(self, limit):
        self.limit = limit

    def install(self, net, epoch):
        for parameter in net.parameters():
            parameter.register_post_accumulate_grad_hook(self.clip)

    def clip(self, parameter):
        parameter.grad.clamp_(-self.limit, self.limit)
