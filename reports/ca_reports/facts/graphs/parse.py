"""The code of a captured graph → ``FxGraph``, by ``ast``: torch is not needed for it.

FX writes one statement a line, then what it frees (``x = f(y);  y = None``), and a comment
before the lines of another origin. Compiled autograd's comments are of its own making:
``# File: …, code: MulBackward0 (NodeCall 3)``; those inside an AOT region name the line of
the user's forward instead (``torch/_dynamo/compiled_autograd.py``, ``set_node_origin``).
"""

from __future__ import annotations

import ast
import warnings
from functools import lru_cache

from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_reports.facts.graphs.fx import FxGraph, FxNode, Kind
from ca_reports.run.frames import frame
from ca_reports.run.model import Frame, Node

# A graph of a 12-layer GPT has 7,000 statements; one of a million is no use to anybody.
MAX_NODES = 200_000
MAX_LINE = 2_000_000
_COMMENT = expression(
    r"^# File: (?P<file>.*?):(?P<line>\d{1,9})(?: in (?P<function>[^,]*))?, code: (?P<code>.*)"
)
_NODE_CALL = expression(r"^(?P<name>.+) \(NodeCall (?P<index>\d{1,9})\)$")
_FREES = expression(r";  (?:[A-Za-z_]\w* = )+None")
_HEAD = expression(r"^def \w+\(self(?P<inputs>[^)]*)\)")
_PREFIXES = (
    "torch__dynamo_compiled_autograd_ops_",
    "torch__dynamo_external_utils_",
    "torch.ops.",
    "torch_ops_",
)
# `ca_engine.capture.aot.call_aot_bwd_prologue` and torch's functions of that name.
_REGION = "CompiledFunction"  # what torch calls the autograd function around an AOT region
_AOT_CALL = "_call_aot_bwd_"


@dataclass(frozen=True, slots=True)
class _Value:
    """The right side of a statement: what it is, and the names in it."""

    kind: Kind
    target: str
    names: tuple[str, ...]


@dataclass(slots=True)
class _Statement:
    """A line that makes a node, and the last node made of it.

    Of fifty captures of a model most have the same statement at the same place: the node is
    the same, and making it again is a good part of what reading them costs.
    """

    name: str
    shown: str
    value: _Value
    last: FxNode | None = None

    def node(
        self, inputs: tuple[int, ...], line: int, origin: Node | None, place: Frame | None
    ) -> FxNode:
        last = self.last
        if (
            last is None
            or last.line != line
            or last.inputs != inputs
            or last.origin != origin
            or last.place != place
        ):
            value = self.value
            last = FxNode(
                self.name, value.kind, value.target, inputs, self.shown, line, origin, place
            )
            self.last = last
        return last


def parse(code: str) -> FxGraph:
    """Read the code of one captured graph; never raises, what is no graph is counted."""
    nodes: list[FxNode] = []
    defined: dict[str, int] = {}
    outputs: tuple[int, ...] = ()
    unread = 0
    origin: Node | None = None
    region: Node | None = None
    place: Frame | None = None
    started = False
    for number, raw in enumerate(code.split("\n"), 1):
        line = raw.strip()
        if not line:
            continue
        if line.startswith("#"):
            call, line_of = _origin(line)
            if call is not None:
                origin, place = call, None
                region = origin if origin.name.startswith(_REGION) else region
            elif line_of is not None:
                # A gradient is accumulated as soon as it is there, in between.
                origin, place = region or origin, line_of
            continue
        statement = _statement(line)
        if statement is not None and len(nodes) < MAX_NODES:
            found = [defined[name] for name in statement.value.names if name in defined]
            inputs = tuple(found) if len(found) < 2 else tuple(dict.fromkeys(found))
            defined[statement.name] = len(nodes)
            nodes.append(statement.node(inputs, number, origin, place))
        elif line.startswith("class "):
            if started:  # a subgraph of a higher-order operator: it is part of its call
                break
        elif line.startswith("def "):
            started = True
            for name in _placeholders(line):
                defined[name] = len(nodes)
                nodes.append(FxNode(name, "placeholder", name, (), name, number))
        elif line.startswith("return"):
            names = _names(_without_frees(line)[6:].strip())
            outputs = tuple(defined[name] for name in names if name in defined)
        else:
            unread += 1
    return FxGraph(tuple(nodes), outputs, unread)


def short_names(code: str) -> str:
    """Return ``code`` without the modules that FX writes into the names of functions."""
    for prefix in _PREFIXES:
        code = code.replace(prefix, "")
    return code


def _without_frees(line: str) -> str:
    """Return ``x = f(y);  y = None`` without what it frees; the search alone would cost seconds."""
    if not line.endswith(" = None"):
        return line
    end = line.rfind(";  ")
    return line[:end] if end > 0 and _FREES.fullmatch(line, end) else line


def _placeholders(line: str) -> list[str]:
    found = _HEAD.match(line)
    if found is None:
        return []
    names = [part.partition(":")[0].strip() for part in found["inputs"].split(",")]
    return [name for name in names if name.isidentifier()]


@lru_cache(maxsize=16_384)
def _origin(line: str) -> tuple[Node | None, Frame | None]:
    """Return the NodeCall that a comment names, or the user's forward line; neither of others."""
    found = _COMMENT.match(line)
    if found is None:
        return None, None
    call = _NODE_CALL.match(found["code"])
    if call is not None:
        return Node(int(call["index"]), call["name"]), None
    return None, frame(found["file"], int(found["line"]), found["function"] or "", found["code"])


# The graphs of one run are alike in nearly every line: of fifty captures of a GPT the first
# takes half a second to parse, the others a twentieth of that.
@lru_cache(maxsize=65_536)
def _statement(line: str) -> _Statement | None:
    """Return the node that a line makes; None for what is no FX code."""
    shown = _without_frees(line)
    name, equals, right = shown.partition(" = ")
    name = name.partition(":")[0].rstrip()
    value = _value(right) if equals and name.isidentifier() else None
    return _Statement(name, shown, value) if value is not None else None


def _value(text: str) -> _Value | None:
    if len(text) > MAX_LINE:
        return None
    tree = _expression(text)
    if tree is None:
        return None
    names = _names_in(tree)
    if isinstance(tree, ast.Subscript) and isinstance(tree.value, ast.Name):
        return _Value("getitem", ast.unparse(tree.slice), names)
    if isinstance(tree, ast.Call):
        return _Value("call", _target(tree.func), names)
    if isinstance(tree, ast.BinOp | ast.UnaryOp | ast.Compare | ast.BoolOp):
        return _Value("operator", _operator(tree), names)
    return _Value("operator", "value", names)


def _expression(text: str) -> ast.expr | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # SyntaxWarning about somebody else's text
            return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def _names(text: str) -> tuple[str, ...]:
    tree = _expression(text) if len(text) <= MAX_LINE else None
    return _names_in(tree) if tree is not None else ()


def _names_in(tree: ast.expr) -> tuple[str, ...]:
    """Return all names, in the order of the text (``ast.walk`` goes by depth)."""
    names: list[str] = []
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            names.append(node.id)
        else:
            waiting.extend(reversed(list(ast.iter_child_nodes(node))))
    return tuple(dict.fromkeys(names))


def _target(function: ast.expr) -> str:
    name = ast.unparse(function)
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    _, found, rest = name.partition(_AOT_CALL)
    return f"{_AOT_CALL[1:]}{rest}" if found else name


def _operator(tree: ast.expr) -> str:
    words = {"Mult": "mul", "FloorDiv": "floordiv", "USub": "neg"}
    if isinstance(tree, ast.BinOp | ast.UnaryOp | ast.BoolOp):
        name = type(tree.op).__name__
    else:
        name = "compare"
    return words.get(name, name.lower())
