from gpt import Attention


class WindowWarmup:
    """Widens the attention window by one notch every few steps."""

    def __init__(self, first, last, every):
        self.first, self.last, self.every = first, last, every

    def value(self, step):
        return min(self.last, self.first + 4 * (step // self.every))

    def before_step(self, loop, step):
        for module in loop.model.modules():
            if isinstance(module, Attention):
                module.window = self.value(step)

    def after_step(self, loop, step, loss):
        pass


class LossPrinter:
    def __init__(self, every):
        self.every = every

    def before_step(self, loop, step):
        pass

    def after_step(self, loop, step, loss):
        if step % self.every == 0:
            print("step %d loss %.5f" % (step, loss))
