"""A configuration and a model in the manner of the library."""

import torch
from torch import nn
from torch.nn import functional
from transformers import PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import SequenceClassifierOutput


class SmallConfig(PretrainedConfig):
    model_type = "small-bag"

    def __init__(self, vocabulary=60, width=16, labels=3, **options):
        self.vocabulary, self.width, self.labels = vocabulary, width, labels
        super().__init__(**options)


class SmallClassifier(PreTrainedModel):
    config_class = SmallConfig

    def __init__(self, config):
        super().__init__(config)
        self.embed = nn.Embedding(config.vocabulary, config.width, padding_idx=0)
        self.gate = nn.Linear(config.width, 1)
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(config.width, config.labels)
        self.post_init()

    def forward(self, input_ids, attention_mask, labels=None):
        x = self.embed(input_ids)
        scores = self.gate(x).squeeze(-1).masked_fill(attention_mask == 0, -1e4)
        logits = self.head(self.drop(torch.einsum("bl,blw->bw", scores.softmax(-1), x)))
        loss = None if labels is None else functional.cross_entropy(logits, labels)
        return SequenceClassifierOutput(loss=loss, logits=logits)
