"""How lively the layers of a network are."""


def noting(name, record):
    """A hook that notes the spread of what a layer gives."""

    def hook(module, inputs, output):
        record[name] = output.detach().std().item()

    return hook


class Activity:
    def __init__(self, network, kinds):
        self.record = {}
        for name, module in network.named_modules():
            if isinstance(module, kinds):
                self.record[name] = 0.0
                module.register_forward_hook(noting(name, self.record))

    def quiet(self, below):
        return [name for name, spread in self.record.items() if float(spread) < below]
