import torch


class VideoPredictor:
    def __init__(self, prompt_encoder, vos_optimized=False):
        self.prompt_encoder = prompt_encoder
        self.objects = {}
        if vos_optimized:
            self._compile_all_components()

    def _compile_all_components(self):
        print("compiling the prompt encoder, the first call will be slow")
        self.prompt_encoder.forward = torch.compile(
            self.prompt_encoder.forward,
            backend="aot_eager",
            dynamic=False,
        )

    @torch.inference_mode()
    def add_new_points(self, obj_id, coords, labels):
        sparse = self.prompt_encoder(points=(coords, labels))
        self.objects[obj_id] = sparse.mean(dim=1)
        return float(self.objects[obj_id].abs().mean())
