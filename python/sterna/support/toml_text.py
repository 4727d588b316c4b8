"""Writes sections and keys as the TOML text of an input."""

import json
import math
from collections.abc import Mapping
from os import PathLike, fspath


def toml_text(sections: Mapping) -> str:
    """The text of a document; raises TypeError, naming the key, for what TOML cannot hold."""
    lines: list[str] = []
    _write_table(sections, "", lines)
    return "\n".join(lines) + "\n"


def _write_table(table: Mapping, name: str, lines: list[str]) -> None:
    inner = []
    for key, value in table.items():
        if not isinstance(key, str):
            raise TypeError(f"a key is {key!r}, expected text")
        path = f"{name}.{_key(key)}" if name else _key(key)
        if isinstance(value, Mapping):
            inner.append((path, value, False))
        elif isinstance(value, (list, tuple)) and any(isinstance(v, Mapping) for v in value):
            inner += [(path, item, True) for item in value]
        else:
            lines.append(f"{_key(key)} = {_value(value, path)}")
    for path, value, is_item in inner:
        if not isinstance(value, Mapping):
            raise TypeError(f"{path} has the item {value!r} among tables")
        lines.append(f"\n[[{path}]]" if is_item else f"\n[{path}]")
        _write_table(value, path, lines)


def _key(key: str) -> str:
    is_bare = key != "" and all(c.isascii() and (c.isalnum() or c in "_-") for c in key)
    return key if is_bare else _text(key)


def _text(text: str) -> str:
    # JSON's escapes are among TOML's, but for DEL, which JSON leaves as it is.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: object, path: str) -> str:
    if hasattr(value, "tolist"):  # an array or number of NumPy
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, PathLike):
        return _text(fspath(value))
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(item, path) for item in value) + "]"
    raise TypeError(f"{path} is {value!r}; expected a number, a text, a list or a table")


def _number(value: float) -> str:
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return repr(value)
