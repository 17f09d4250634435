"""The form of openapi.yaml: as few lines as are readable, and texts of several lines in block form."""

from typing import Any, Final

import yaml

LINE: Final = 1000  # characters
DEEP: Final = 5  # levels at which a parameter, an answer, and a member of a schema are
EXTENSION: Final = "allOf"  # its schemas are laid out like the schema that they make
EXAMPLES: Final = "examples"


def in_yaml(document: Any) -> str:
    """The document as YAML."""
    return yaml.dump(document, sort_keys=False, allow_unicode=True, width=LINE, Dumper=_Dumper)


class _Dumper(yaml.SafeDumper):
    """A YAML dumper without anchors, which lays lines out as above."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def represent(self, data: Any) -> None:
        node = self.represent_data(data)
        _lay_out(node, 0, dense=False)
        self.serialize(node)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def _lay_out(node: yaml.Node, depth: int, *, dense: bool) -> None:
    """Put a node that fits on one line on one, and use as few lines as possible for a deep node, a list of values, or
    an example.
    """
    if not isinstance(node, yaml.CollectionNode):
        return
    length, parts = _length(node), _parts(node)
    are_values = isinstance(node, yaml.SequenceNode) and all(type(part) is yaml.ScalarNode for part in parts)
    fits = length is not None and 2 * depth + length <= LINE
    node.flow_style = length is not None and (dense or fits or are_values or depth >= DEEP)
    names = [key.value for key, _ in node.value] if isinstance(node, yaml.MappingNode) else [""] * len(parts)
    for name, part in zip(names, parts, strict=True):
        _lay_out(part, depth - 1 if name == EXTENSION else depth + 1, dense=dense or name == EXAMPLES)


def _parts(node: yaml.Node) -> list[yaml.Node]:
    """Values of a mapping, or items of a sequence."""
    return [value for _, value in node.value] if isinstance(node, yaml.MappingNode) else node.value


def _length(node: yaml.Node) -> int | None:
    """Characters of the node on one line, roughly; None if a text in it has several lines."""
    if isinstance(node, yaml.ScalarNode):
        return None if node.style == "|" else len(node.value) + 2
    length = sum(len(key.value) + 4 for key, _ in node.value) if isinstance(node, yaml.MappingNode) else 0
    for part in _parts(node):
        of_part = _length(part)
        if of_part is None:
            return None
        length += of_part + 2
    return length
