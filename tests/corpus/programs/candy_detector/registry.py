class Registry:
    def __init__(self, name):
        self.name, self._modules = name, {}

    def register(self, key):
        def wrap(cls):
            assert key not in self._modules, f"{key} is in {self.name} already"
            self._modules[key] = cls
            return cls

        return wrap

    def build(self, key, *args, **kwargs):
        return self._modules[key](*args, **kwargs)


HEADS = Registry("heads")
LOSSES = Registry("losses")
