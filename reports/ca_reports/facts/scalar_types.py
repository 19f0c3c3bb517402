"""The names of dtypes in torch's reasons, which are those of C++."""

# How torch's reasons call what its trees call `torch.float32`.
SCALAR_TYPES = {
    "float32": "Float",
    "float64": "Double",
    "float16": "Half",
    "bfloat16": "BFloat16",
    "int64": "Long",
    "int32": "Int",
    "int16": "Short",
    "int8": "Char",
    "uint8": "Byte",
    "bool": "Bool",
}
# Those of floating point, by the name in a reason: `Float` → `float32`.
FLOATING = {told: name for name, told in SCALAR_TYPES.items() if "float" in name}
