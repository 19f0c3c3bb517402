"""A sentiment model in the style of Transformers."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from transformers import PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import SequenceClassifierOutput


class SentimentConfig(PretrainedConfig):
    model_type = "tiny-sentiment"

    def __init__(self, vocab_size=100, hidden_size=24, num_labels=3, **kwargs):
        super().__init__(num_labels=num_labels, **kwargs)
        self.vocab_size = vocab_size
        self.hidden_size = hidden_size


class SentimentModel(PreTrainedModel):
    config_class = SentimentConfig

    def __init__(self, config):
        super().__init__(config)
        self.embeddings = nn.Embedding(config.vocab_size, config.hidden_size, padding_idx=0)
        self.mixer = nn.Conv1d(config.hidden_size, config.hidden_size, 3, padding=1)
        self.dropout = nn.Dropout(0.1)
        self.classifier = nn.Linear(config.hidden_size, config.num_labels)
        self.post_init()

    def forward(self, input_ids, attention_mask, labels=None):
        x = self.embeddings(input_ids).transpose(1, 2)
        x = F.gelu(self.mixer(x)).transpose(1, 2)
        mask = attention_mask.unsqueeze(-1).to(x.dtype)
        pooled = (x * mask).sum(1) / mask.sum(1)
        logits = self.classifier(self.dropout(pooled))
        loss = None
        if labels is not None:
            counts = torch.bincount(labels, minlength=self.config.num_labels).tolist()
            weights = torch.tensor([len(labels) / (1 + n) for n in counts])
            loss = F.cross_entropy(logits, labels, weight=weights)
        return SequenceClassifierOutput(loss=loss, logits=logits)
