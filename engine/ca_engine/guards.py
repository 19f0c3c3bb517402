"""The guards whose failure made Dynamo compile a frame again, taken apart. Standard library only.

The engine parses them to look up what the guarded thing holds now; the reports parse them to
say why. Texts were measured on torch 2.13.0 and read off logs of 2.6 to 2.15: in the trace's
``recompile_reasons``, in ``compilation_metrics`` and under ``TORCH_LOGS=recompiles``.

A reason is ``<id of the earlier compile>: <what failed>``, one for each earlier compile of that
code, the newest first. What failed is a sentence (``tensor 'x' rank mismatch. …``) or a Python
expression over the frame's variables (``len(xs) == 2``); behind ``  #`` stand the user's code that
the guard came from, its place, and hints; below it, where Dynamo kept them, the user's frames.
"""

from __future__ import annotations

import ast
import keyword
import re
import warnings
from functools import lru_cache
from itertools import islice
from typing import Literal

from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_engine.tracebacks import TextFrame, frames_in

GuardKind = Literal[
    "size",  # of a tensor's dimension, which the guard names
    "stride",
    "stride_relation",  # a stride by sizes: of a tensor that is contiguous, or a part of one
    "storage_offset",  # where a tensor begins in its storage
    "rank",
    "dtype",
    "device",
    "requires_grad",
    "dispatch_keys",
    "type",
    "identity",
    "value",
    "length",
    "keys",
    "membership",
    "attribute",
    "size_relation",  # an expression over sizes: a bound, divisibility, equality
    "duck_size",
    "duplicate",
    "deallocated",
    "backend",
    "global_state",
    "metadata",  # what a tensor's subclass says of itself beside its inner tensors
    "other",
]


@dataclass(frozen=True, slots=True)
class Guard:
    """One failed guard.

    ``text`` is torch's own, without the id of the earlier compile (``failed``) before it and
    without what comes behind ``  #``. ``source`` is the guarded thing as an expression over the
    frame's variables (``inputs[1]``, ``self._modules['attn'].processor``), for global state what
    differs; ``index`` the dimension of a size or stride. ``expected`` and ``actual`` are values
    as torch writes them; torch knows the second only for tensors and types. ``place`` is the line
    that the guard's comment quotes (torch may have cut its path in front), ``hint`` what torch
    says there in brackets, ``stack`` the user's frames, outermost first; each is empty where torch
    did not write it.
    """

    text: str
    kind: GuardKind
    failed: str | None = None
    source: str = ""
    index: int | None = None
    expected: str | None = None
    actual: str | None = None
    place: TextFrame | None = None
    hint: str = ""
    stack: tuple[TextFrame, ...] = ()


_NAMES = (ast.Name, ast.Attribute, ast.Subscript)
# What torch appends to a failed guard on a parameter.
_ADVICE = ". Guard failed on a parameter, consider using "
# Longer expressions are not taken apart: Python's parser recurses.
MAX_EXPRESSION = 2_000
_MAX_FRAMES = 50
_MAX_HINT = 600

_START = expression(r"^(?P<id>!?\d+(?:/\d+){1,2}): ", re.M)
_TENSOR_SIZE = expression(
    r" (?P<what>size|stride) mismatch(?: at index (?P<index>\d{1,9})\. "
    r"expected (?P<expected>-?\d+), actual (?P<actual>-?\d+))?"
)
_TENSOR_OTHER = expression(
    r" (?P<what>rank|dtype|device index|device|requires_grad|dispatch key set) mismatch\.?"
    r"(?P<rest>.*)"
)
_OTHER_KINDS: dict[str, GuardKind] = {
    "rank": "rank",
    "dtype": "dtype",
    "device": "device",
    "device index": "device",
    "requires_grad": "requires_grad",
    "dispatch key set": "dispatch_keys",
}
# Dispatch keys that tell where a tensor's elements are, with the type of that device.
_BACKENDS = {
    "CPU": "cpu", "CUDA": "cuda", "XPU": "xpu", "MPS": "mps", "HPU": "hpu", "XLA": "xla",
    "IPU": "ipu", "MTIA": "mtia", "Meta": "meta",
}  # fmt: skip
# A function of torch's that asks an object of a tensor's subclass; its number is an address.
_METADATA = "___check_metadata_"
_DEALLOCATED = expression(r"^Cache line invalidated because (?P<source>.+) got deallocated$")
# It names the variables of a frame as Dynamo holds them; other guards name them as the code does.
_OF_FRAME = expression(r"^L\['(\w+)'\]")
# The same anywhere in a guard's text, as compiled guards and their trees have it.
_LOCAL = expression(r"\bL\['(\w+)'\]")
# The earlier compile read a key that this call's dict lacks: looking it up for a guard raised.
_NO_KEY = expression(r"^KeyError on (?P<source>.+)$")
_PLACE = expression(r"^(?P<file>[^\s()]+):(?P<line>\d{1,9}) in (?P<function>[\w<>.]+)")
# `2 <= n <= 24` has the lines of both bounds: `<line>  # <place> (<hint>) and <line>`.
_AND = expression(r" \((?:[^()]|\([^()]*\))*\) and ")

# Most guards that are Python code, as Python itself would write them: `temperature == 1.5`,
# `len(L['xs']) == 3`, `self._modules['0'].training is True`. They are read without a parser.
_WORD = rf"(?!(?:{'|'.join(keyword.kwlist)})\b)[A-Za-z_]\w{{0,200}}"
_PLAIN = expression(
    r"(?P<length>len\()?"
    rf"(?P<source>{_WORD}"
    rf"(?:\.{_WORD}"
    r"|\[(?:'[^'\"\\\n{}]{0,200}'|0|[1-9]\d{0,8})\]){0,40})"
    r"(?(length)\)) (?P<operator>==|is) "
    r"(?P<value>-?(?:0|[1-9]\d{0,14})|-?\d{1,15}\.\d{1,20}|'[^'\"\\\n]{0,200}'|True|False|None)",
    re.ASCII,
)

# Functions of guards that take the guarded thing as an argument: at which position, and the kind.
_CHECKS: dict[str, tuple[int, GuardKind]] = {
    "___check_type_id": (0, "type"),
    "___check_obj_id": (0, "identity"),
    "___dict_version": (0, "keys"),
    "___dict_contains": (1, "membership"),
    "dict.__contains__": (0, "membership"),
    "set.__contains__": (0, "membership"),
    "hasattr": (0, "attribute"),
    "___tuple_iterator_len": (0, "length"),
    "len": (0, "length"),
}


# Those of which only the address differs that stands behind the source.
_ADDRESSES = ("___check_type_id", "___check_obj_id", "___dict_version")
_COUNT = "___normalize_count_iter"
# Where an object has its attributes: what is in there by its name is set on the object itself.
_ATTRIBUTES = ".__dict__"


def as_written(text: str) -> str:
    """Return a guard's text as reasons have it: ``x.scale`` for ``L['x'].scale``."""
    return _LOCAL.sub(r"\1", text)


def parse(reason: str) -> tuple[Guard, ...]:
    """Parse all failed guards of a reason, in torch's order; never raises, never empty."""
    starts = [found.start() for found in _START.finditer(reason)]
    if not starts or starts[0] != 0:
        starts.insert(0, 0)
    ends = [*starts[1:], len(reason)]
    parts = [reason[start:end] for start, end in zip(starts, ends, strict=True)]
    return tuple(_parse_one(part) for part in parts if part.strip()) or (Guard("", "other"),)


def _parse_one(part: str) -> Guard:
    found = _START.match(part)
    failed = found["id"] if found else None
    line, _, after = (part[found.end() :] if found else part).strip().partition("\n")
    text, _, comment = line.partition("  #")
    text, advice = _split_advice(text)
    place, hint = _read_comment(comment)
    stack = tuple(islice(frames_in(after), _MAX_FRAMES)) if after else ()
    try:
        read = _read_text(text.strip(), "duck sizing" in comment)
    except RecursionError:  # brackets in brackets in brackets
        read = ("other", "", None, None, None)
    kind, source, index, expected, actual = read
    hint = hint or advice
    return Guard(text.strip(), kind, failed, source, index, expected, actual, place, hint, stack)


def _split_advice(text: str) -> tuple[str, str]:
    """Return a guard that has no place, and torch's advice in brackets behind it.

    Until torch 2.8 a guard on a module's number has no comment: ``self.calls == 0   (HINT: …)``.
    """
    guard, sign, advice = text.partition("  (HINT: ")
    if not sign or not advice.endswith(")"):
        return text, ""
    return guard, advice[:-1][:_MAX_HINT]


@lru_cache(maxsize=4096)
def _read_comment(comment: str) -> tuple[TextFrame | None, str]:
    """Return the quoted line with its place, and what torch says in brackets behind it.

    Of several the last: torch writes the lower bound of a size first, and that is often its own.
    """
    code, sign, rest = comment.rpartition("  # ")
    if not sign:
        code, rest = "", comment
    _, sign, earlier = code.rpartition("  # ")
    if sign and (found := _PLACE.match(earlier)) and (end := _AND.match(earlier, found.end())):
        code = earlier[end.end() :]
    place = None
    if found := _PLACE.match(rest.strip()):
        place = TextFrame(found["file"], int(found["line"]), found["function"], code.strip())
        rest = rest.strip()[found.end() :]
    hint = rest.strip()
    if hint.startswith("(") and hint.endswith(")"):
        hint = hint[1:-1]
    hint = hint.removeprefix("HINT:").strip()
    if "/_dynamo/" in f"/{hint}" and _PLACE.match(hint):
        hint = ""  # where in torch the guard was made: of no use to a user
    return place, hint[:_MAX_HINT]


_Parts = tuple[GuardKind, str, "int | None", "str | None", "str | None"]


@lru_cache(maxsize=4096)  # one guard fails a thousand times in a long log
def _read_text(text: str, is_duck: bool) -> _Parts:
    if text.startswith("tensor '"):
        text = text.partition(_ADVICE)[0]
        # Sources hold quotes of their own: kwargs['x']. The last one before the words ends it.
        for pattern in (_TENSOR_SIZE, _TENSOR_OTHER):
            if found := pattern.search(text):
                source = text[len("tensor '") : found.start()].rstrip().removesuffix("'")
                return _tensor(source, found)
    if text.startswith("expected type of '"):
        source, _, rest = text[len("expected type of '") :].partition("' to be ")
        expected, _, actual = rest.partition(", ' but found ")
        return "type", source, None, expected or None, actual or None
    if text.startswith("GLOBAL_STATE changed:"):
        return "global_state", text.partition(":")[2].strip(), None, None, None
    if text.startswith("___check_torch_function_mode_stack("):
        return "global_state", "torch_function_mode_stack", None, None, None
    if text.startswith("Duplicate tensor"):
        return "duplicate", text.partition(":")[2].strip(), None, None, None
    if text.startswith(_METADATA):
        return "metadata", "", None, None, None
    if text.startswith("BACKEND_MATCH"):
        return "backend", "", None, None, None
    if found := _DEALLOCATED.match(text):
        return "deallocated", _OF_FRAME.sub(r"\1", found["source"]), None, None, None
    if found := _NO_KEY.match(text):
        return _missing_key(found["source"])
    return _read_expression(text, is_duck)


def _missing_key(source: str) -> _Parts:
    tree = _expression(source)
    if not isinstance(tree, ast.Subscript):
        return "other", "", None, None, None
    return "membership", ast.unparse(tree.value), None, ast.unparse(tree.slice), None


def _tensor(source: str, found: re.Match[str]) -> _Parts:
    if "index" in found.re.groupindex:  # of `_TENSOR_SIZE`
        index = None if found["index"] is None else int(found["index"])
        kind: GuardKind = "size" if found["what"] == "size" else "stride"
        return kind, source, index, found["expected"], found["actual"]
    expected, _, actual = found["rest"].strip().removeprefix("expected ").partition(", actual ")
    if found["what"] == "requires_grad":
        expected = {"requires_grad=0": "False", "requires_grad=1": "True"}.get(expected, expected)
        actual = {"False": "True", "True": "False"}.get(expected, "")
    kind = _OTHER_KINDS[found["what"]]
    if kind == "dispatch_keys" and (devices := _devices(expected, actual)) is not None:
        return ("device", source, None, *devices)
    return kind, source, None, expected.rstrip(".") or None, actual.rstrip(".") or None


def _devices(expected: str, actual: str) -> tuple[str, str] | None:
    """Return the devices that two sets of dispatch keys are of; None where they are of one.

    ``DispatchKeySet(CPU, …)`` and ``DispatchKeySet(CUDA, …)``: torch compares the keys of a tensor
    before its device.
    """
    found = []
    for keys in (expected, actual):
        names = re.findall(r"\w+", keys.removeprefix("DispatchKeySet"))
        found.append({_BACKENDS[name] for name in names if name in _BACKENDS})
    before, after = found
    if len(before) != 1 or len(after) != 1 or before == after:
        return None
    return before.pop(), after.pop()


def _read_expression(text: str, is_duck: bool) -> _Parts:
    """Read a guard that is Python code, with what may stand behind it (``, type=<class …>``)."""
    if plain := _PLAIN.fullmatch(text):
        return _read_plain(plain)
    code, _, named_type = text.partition("), type=")
    if named_type:
        code += ")"
    tree = _expression(code) or _cut_call(code)
    if tree is None:
        return "other", "", None, None, None
    negated = isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not)
    if isinstance(tree, ast.UnaryOp) and negated:
        tree = tree.operand
    if isinstance(tree, ast.Call) and (check := _check(tree)):
        kind, source, key = check
        if kind == "membership" and source.endswith(_ATTRIBUTES):
            kind, source = "attribute", source.removesuffix(_ATTRIBUTES)
        if kind in ("membership", "attribute"):
            return kind, source, None, f"{'no ' if negated else ''}{key}", None
        return kind, source, None, named_type or None, None
    if isinstance(tree, ast.Compare) and (strided := _stride(tree.left)):
        source, index = strided
        return "stride_relation", source, index, None, None
    sized = _sizes(tree)
    if sized:
        source, index = sized[0]
        return "duck_size" if is_duck else "size_relation", source, index, None, None
    if offset := _offset(tree):
        return "storage_offset", offset, None, None, None
    if isinstance(tree, ast.Compare) and len(tree.ops) == 1:
        return _comparison(tree)
    if isinstance(tree, _NAMES):
        return "value", ast.unparse(tree), None, str(not negated), None
    return (
        ("value" if isinstance(tree, (ast.Compare, ast.BoolOp)) else "other"),
        "",
        None,
        None,
        None,
    )


def _cut_call(code: str) -> ast.expr | None:
    """Return the check of an object that the end of a log cuts: its source is known by then."""
    name, _, given = code.partition("(")
    source, _, address = given.rpartition(",")
    is_cut = not address.strip() or address.strip().isdecimal()
    return _expression(f"{name}({source})") if name in _ADDRESSES and source and is_cut else None


def _read_plain(found: re.Match[str]) -> _Parts:
    """Return a comparison with a literal, as `_comparison` reads it."""
    value = found["value"]
    if "." in value and value[0] != "'":
        value = repr(float(value))  # 0.10 is 0.1
    if not found["length"]:
        return "value", found["source"], None, value, None
    return "length", found["source"], None, value if found["operator"] == "==" else None, None


def _comparison(tree: ast.Compare) -> _Parts:
    left, right = tree.left, tree.comparators[0]
    if isinstance(left, ast.Call) and (check := _check(left)):
        same = isinstance(tree.ops[0], ast.Eq)
        return check[0], check[1], None, ast.unparse(right) if same else None, None
    # ___normalize_count_iter(self.calls) == (3, 1): where itertools.count stands, and its step
    if isinstance(left, ast.Call) and ast.unparse(left.func) == _COUNT and left.args:
        at = right.elts[0] if isinstance(right, ast.Tuple) and right.elts else right
        return "value", ast.unparse(left.args[0]), None, ast.unparse(at), None
    # list(dict.keys(batch))[0] == 'image', list(d.keys()) == ['a', 'b']
    whole = left.value if isinstance(left, ast.Subscript) else left
    if isinstance(whole, ast.Call) and (owner := _keys_of(whole)) is not None:
        return "keys", ast.unparse(owner), None, ast.unparse(right), None
    if not isinstance(left, _NAMES):
        # (1.0 + ((-1)*self.drop.rate)) == 0.9: of a number that the code computed with
        return "value", _of_one(left), None, None, None
    if isinstance(tree.ops[0], (ast.Is, ast.IsNot)) and isinstance(right, _NAMES):
        both = f'["{ast.unparse(left)}", "{ast.unparse(right)}"]'  # as torch's own sentence has it
        return "duplicate", both, None, None, None
    if isinstance(tree.ops[0], (ast.Eq, ast.Is)):
        return "value", ast.unparse(left), None, ast.unparse(right), None
    return "value", ast.unparse(left), None, None, None


def _of_one(tree: ast.expr) -> str:
    """Return what an arithmetic expression is about; empty if it has several, or calls."""
    found: set[str] = set()
    left = [tree]
    while left:
        part = left.pop()
        if isinstance(part, ast.BinOp):
            left += part.left, part.right
        elif isinstance(part, ast.UnaryOp):
            left.append(part.operand)
        elif isinstance(part, _NAMES):
            found.add(ast.unparse(part))
        elif not isinstance(part, ast.Constant):
            return ""
    return found.pop() if len(found) == 1 else ""


def _expression(code: str) -> ast.expr | None:
    if len(code) > MAX_EXPRESSION:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of string escapes in a text that is not our code
            return ast.parse(code, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _check(call: ast.Call) -> tuple[GuardKind, str, str] | None:
    """Kind, guarded thing and first other argument of a call that a guard makes."""
    known = _CHECKS.get(ast.unparse(call.func))
    if known is None or len(call.args) <= known[0]:
        return None
    position, kind = known
    others = [ast.unparse(arg) for at, arg in enumerate(call.args) if at != position]
    return kind, ast.unparse(call.args[position]), others[0] if others else ""


def _keys_of(call: ast.Call) -> ast.expr | None:
    """Return ``x`` of ``list(dict.keys(x))`` and ``list(x.keys())``."""
    if ast.unparse(call.func) != "list" or len(call.args) != 1:
        return None
    keys = call.args[0]
    if not isinstance(keys, ast.Call) or not isinstance(keys.func, ast.Attribute):
        return None
    if keys.func.attr != "keys":
        return None
    return keys.args[0] if keys.args else keys.func.value


def _stride(left: ast.expr) -> tuple[str, int | None] | None:
    """Return ``x`` and 0 of the left side of ``x.stride()[0] == 8*x.size()[1]``."""
    if isinstance(left, ast.Subscript) and isinstance(left.value, ast.Call):
        method = left.value.func
        if isinstance(method, ast.Attribute) and method.attr == "stride":
            return _sizes(left)[0]
    return None


def _sizes(tree: ast.expr) -> list[tuple[str, int | None]]:
    """Return the sizes and strides that an expression reads: ``x`` and 0 of ``x.size()[0]``."""
    found: list[tuple[str, int | None]] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Call):
            continue
        method = node.value.func
        if isinstance(method, ast.Attribute) and method.attr in ("size", "stride"):
            index = node.slice.value if isinstance(node.slice, ast.Constant) else None
            found.append((ast.unparse(method.value), index if isinstance(index, int) else None))
    return found


def _offset(tree: ast.expr) -> str:
    """Return ``x`` of ``2 <= x.storage_offset()``; empty where no expression reads one."""
    for node in ast.walk(tree):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Attribute) and called.attr == "storage_offset":
            return ast.unparse(called.value)
    return ""
