from dataclasses import dataclass

import torch


@dataclass
class Request:
    pixels: torch.Tensor
    do_sample: bool = False
    temperature: float = 1.0
    avoid: tuple = ()


class Captioner:
    def __init__(self, encoder, decoder, max_len, bos=0, eos=1, seed=0):
        self.encoder, self.decoder = encoder, decoder
        self.max_len, self.bos, self.eos = max_len, bos, eos
        self.vocab = decoder.head.out_features
        self.generator = torch.Generator().manual_seed(seed)

    def logit_bias(self, request):
        """Words that the client does not want to read."""
        if not request.avoid:
            return None
        bias = torch.zeros(self.vocab)
        bias[list(request.avoid)] = -1e4
        return bias

    def choose(self, logits, request):
        if request.do_sample:
            return torch.multinomial(logits.softmax(-1), 1, generator=self.generator)
        return logits.argmax(-1, keepdim=True)

    @torch.inference_mode()
    def __call__(self, request):
        picture = self.encoder(request.pixels)
        ids = torch.full((len(picture), self.max_len), self.bos)
        bias = self.logit_bias(request)
        self.decoder.start()
        done = torch.zeros(len(picture), 1, dtype=torch.bool)
        for position in range(self.max_len - 1):
            cursor = torch.tensor([position])
            logits = self.decoder(ids, cursor, picture, bias)
            if request.do_sample:
                logits = logits / request.temperature
            word = self.choose(logits, request).masked_fill(done, self.eos)
            ids[:, position + 1 : position + 2] = word
            done |= word == self.eos
            if done.all():
                break
        return ids
