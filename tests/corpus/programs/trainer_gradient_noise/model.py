"""A classifier of reviews in the manner of Transformers."""

from torch import nn
from torch.nn import functional
from transformers import PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import SequenceClassifierOutput


class ReviewConfig(PretrainedConfig):
    model_type = "review"

    def __init__(self, vocabulary=40, width=12, stars=5, **options):
        self.vocabulary, self.width, self.stars = vocabulary, width, stars
        super().__init__(**options)


class ReviewModel(PreTrainedModel):
    config_class = ReviewConfig

    def __init__(self, config):
        super().__init__(config)
        self.embed = nn.Embedding(config.vocabulary, config.width)
        self.hidden = nn.Linear(config.width, config.width)
        self.stars = nn.Linear(config.width, config.stars)
        self.post_init()

    def forward(self, input_ids, labels=None):
        pooled = self.embed(input_ids).amax(1)
        logits = self.stars(functional.gelu(self.hidden(pooled)))
        loss = functional.cross_entropy(logits, labels) if labels is not None else None
        return SequenceClassifierOutput(loss=loss, logits=logits)
