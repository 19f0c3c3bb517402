"""What guards name, as users write it."""

from __future__ import annotations

import pytest

from ca_reports.words.guard_names import readable


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("L['self']._modules['attn'].scale", "self.attn.scale"),
        ("G['slope']", "slope"),
        ("G['__import_losses'].WEIGHT", "losses.WEIGHT"),
        ("G['__import_einops_dot__backends']._type2backend", "einops._backends._type2backend"),
        ("L['important'].x", "important.x"),
        ("___from_numpy(L['level'])", "level"),
        ("___from_numpy(self.levels)", "self.levels"),
        ("self.param_groups[0]['lr']", 'group["lr"]'),
        ("G['optimizer'].param_groups[1]['betas'][0]", 'group["betas"][0]'),
        ("hooks[0].__self__.scale", "self.scale"),
        ("hooks[2].func.__self__.scales['w']", "self.scales['w']"),
        (
            "self._modules['conv']._forward_hooks[list(dict.keys("
            "self._modules['conv']._forward_hooks))[0]].__closure__[1].cell_contents.latest",
            "a hook of self.conv's closure.latest",
        ),
    ],
)
def test_a_source_is_told_as_the_program_writes_it(source: str, told: str) -> None:
    assert readable(source) == told
