class LayerSampler:
    """head always, one middle layer per step, as memory allows no more"""

    def __init__(self, model, order):
        self.model, self.order = model, order
        model.embed.requires_grad_(False)

    def switch(self, step):
        self.active = self.order[step % len(self.order)]
        for i, layer in enumerate(self.model.layers):
            layer.requires_grad_(i == self.active)
        return self.active

    def before_step(self):
        pass
