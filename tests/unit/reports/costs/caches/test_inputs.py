"""What inputs of a graph are called in the program."""

from __future__ import annotations

from ca_engine import schema
from ca_reports.costs.caches.inputs import Input, has_dynamic_sizes, input_of
from ca_reports.run.cached import KeyPart, KeyParts


def _local(name: str) -> str:
    return f"LocalSource(local_name='{name}', is_input=True, dynamism=None)"


def _entry(base: str, member: str, index: str) -> str:
    return f"DictGetItemSource(base=AttrSource(base={base}, member='{member}'), index='{index}')"


# As torch 2.13.0 writes them, some arguments left out.
WEIGHT = _entry(_entry(_local("self"), "_modules", "up"), "_parameters", "weight")
WRAPPED = _entry(_entry(_local("fn"), "_modules", "0"), "_parameters", "bias")
SIZE = f"TensorPropertySource(base={_local('x')}, prop=<TensorProperty.SIZE: 0>, idx=0)"
ITEM = f"GetItemSource(base={_local('args')}, index=0, index_is_slice=False)"
CONFIG = f"(0, True, False, [{WEIGHT}, {WRAPPED}, {SIZE}, {ITEM}], [0, 1], True)"
GRAPH = (
    "GraphModule()\n\n\n\ndef forward(self, p_0 : torch.nn.parameter.Parameter, "
    "p_1 : torch.nn.parameter.Buffer, s77 : torch.SymInt, p_2 : torch.Tensor):\n    return (p_2,)"
)


def parts(**texts: str) -> KeyParts:
    return KeyParts({name: KeyPart(name, text) for name, text in texts.items()})


def test_names_and_parameters() -> None:
    found = [input_of(parts(gm=GRAPH, aot_config=CONFIG), at) for at in range(5)]
    assert found == [
        Input("self.up.weight", True),
        Input("0.bias", True),
        Input(None, False),
        Input("args[0]", False),
        Input(None, False),
    ]


def test_a_text_that_was_cut_off_names_what_is_whole() -> None:
    cut = CONFIG[: CONFIG.index("'bias'")]
    assert input_of(parts(aot_config=cut), 0) == Input("self.up.weight", False)
    assert input_of(parts(aot_config=cut), 1) == Input(None, False)


def test_what_stands_after_a_cut_names_nothing() -> None:
    at = CONFIG.index("'bias'")
    cut = f"{CONFIG[:at]}{schema.CUT}'))], [0, 1], True)"
    assert input_of(parts(aot_config=cut), 0) == Input("self.up.weight", False)
    assert input_of(parts(aot_config=cut), 1) == Input(None, False)


def test_a_key_without_them_names_nothing() -> None:
    assert input_of(parts(gm="GraphModule()"), 0) == Input(None, False)
    assert input_of(parts(aot_config="(0, True)"), 0) == Input(None, False)


def test_sizes_are_dynamic_where_a_symbol_stands() -> None:
    tensor = "TensorMetadata(dtype=torch.float32, shape=torch.Size([{}, 3]), stride=(3, 1))"
    for text, expected in ((tensor.format("s77"), True), (tensor.format("20"), False)):
        assert has_dynamic_sizes(KeyParts({"example_inputs[0]": KeyPart("a", text)})) is expected
    assert has_dynamic_sizes(KeyParts({"example_inputs[0]": KeyPart("a", "('s77',)")}))
    assert not has_dynamic_sizes(parts(gm="torch.Size([s77])"))
