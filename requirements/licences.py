"""`python licences.py SBOM`: the licences of the components of a CycloneDX document, a line for each component."""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def licences(sbom: Mapping[str, Any]) -> Iterator[str]:
    """Name, version and licences of each component, between tabs."""
    for component in sorted(sbom["components"], key=lambda component: component["name"].lower()):
        said = {
            one.get("expression") or one["license"].get("id") or one["license"]["name"]
            for one in component.get("licenses", ())
        }
        yield "\t".join([component["name"], component["version"], "; ".join(sorted(said)) or "not said"])


if __name__ == "__main__":
    sys.stdout.write("".join(f"{line}\n" for line in licences(json.loads(Path(sys.argv[1]).read_text()))))
