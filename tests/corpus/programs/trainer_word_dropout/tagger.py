"""A tagger of intents that forgets words while it trains."""

import torch
from torch import nn
from torch.nn import functional
from transformers import PretrainedConfig, PreTrainedModel


class IntentConfig(PretrainedConfig):
    model_type = "intent"

    def __init__(self, vocabulary=60, width=16, intents=6, **options):
        self.vocabulary, self.width, self.intents = vocabulary, width, intents
        super().__init__(**options)


class IntentModel(PreTrainedModel):
    config_class = IntentConfig

    def __init__(self, config):
        super().__init__(config)
        self.forgotten = 0.05
        self.embed = nn.Embedding(config.vocabulary, config.width)
        self.mix = nn.Conv1d(config.width, config.width, 3, padding=1)
        self.head = nn.Linear(config.width, config.intents)
        self.post_init()

    def forward(self, input_ids, labels=None):
        words = self.embed(input_ids)
        if self.training:
            kept = torch.rand(input_ids.shape) >= self.forgotten
            words = words * kept[..., None]
        logits = self.head(self.mix(words.mT).relu().mean(-1))
        return {"loss": functional.cross_entropy(logits, labels), "logits": logits}
