PIECES = ["torch.sin(x)", "x * x", "torch.tanh(2 * x)", "x - 0.1 * x ** 3", "torch.cos(x) - 1"]


class Formula:
    """A sum of pieces."""

    def __init__(self, parts):
        self.parts = parts

    def text(self):
        return " + ".join(self.parts)

    def __repr__(self):
        return "Formula(%s)" % self.text()
