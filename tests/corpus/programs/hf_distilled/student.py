"""A student that learns from labels and, where there are any, from a teacher's answers."""

from torch import nn
from torch.nn import functional
from transformers import PretrainedConfig, PreTrainedModel


class StudentConfig(PretrainedConfig):
    model_type = "student"

    def __init__(self, vocabulary=24, width=12, classes=3, **options):
        self.vocabulary, self.width, self.classes = vocabulary, width, classes
        super().__init__(**options)


class Student(PreTrainedModel):
    config_class = StudentConfig

    def __init__(self, config):
        super().__init__(config)
        self.embed = nn.Embedding(config.vocabulary, config.width)
        self.mix = nn.Linear(config.width, config.width)
        self.head = nn.Linear(config.width, config.classes)
        self.post_init()

    def forward(self, input_ids, labels, teacher=None):
        pooled = self.embed(input_ids).mean(1)
        logits = self.head(functional.gelu(self.mix(pooled)))
        loss = functional.cross_entropy(logits, labels)
        if teacher is not None:
            answers = functional.log_softmax(teacher, -1)
            known = functional.log_softmax(logits, -1)
            loss = loss + functional.kl_div(known, answers, reduction="batchmean", log_target=True)
        return {"loss": loss, "logits": logits}
