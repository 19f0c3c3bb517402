"""Names of models and criterions."""

MODEL_REGISTRY, CRITERION_REGISTRY = {}, {}


def register_model(name):
    def register(cls):
        MODEL_REGISTRY[name] = cls
        return cls

    return register


def register_criterion(name):
    def register(cls):
        CRITERION_REGISTRY[name] = cls
        return cls

    return register
