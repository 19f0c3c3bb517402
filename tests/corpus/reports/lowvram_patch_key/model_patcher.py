import torch


class LowVramPatch:
    def __init__(self, key, patches):
        self.key = key
        self.patches = patches

    def __call__(self, weight):
        return calculate_weight(self.patches[self.key], weight)


def calculate_weight(patches, weight):
    for strength, diff in patches:
        weight = weight + strength * diff
    return weight


class ModelPatcher:
    def __init__(self, model):
        self.model = model
        self.patches = {}

    def add_patch(self, key, diff, strength=1.0):
        self.patches.setdefault(key, []).append((strength, diff))

    def patch_lowvram(self):
        for key in self.patches:
            module = self.model.get_submodule(key.rsplit(".", 1)[0])
            module.weight_function = LowVramPatch(key, self.patches)
