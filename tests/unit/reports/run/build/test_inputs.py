"""The sizes of a graph's inputs."""

from __future__ import annotations

from ca_reports.run.build.inputs import MAX_INPUTS, graph_inputs


def test_arguments_and_globals_by_their_names_without_signs() -> None:
    sizes = {
        "l_batch_image_": [4, "s27", "2*s27", "12", None],
        "G_Table_": [3],
        "l_self_modules_fc_parameters_weight_": [8, 8],
        "l_self_buffers_mean_": [8],
        "view": [4],
        "l_text_": "none",
    }
    assert graph_inputs(sizes) == {"lbatchimage": (4, "s27", "2*s27", 12, None)}


def test_they_are_bounded() -> None:
    found = graph_inputs({f"l_x_{number}_": ["s" * 9_000] for number in range(100)})
    assert len(found) == MAX_INPUTS
    ((size,), *_) = found.values()
    assert isinstance(size, str)
    assert len(size) < 1_000
