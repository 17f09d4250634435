"""Reads the lines of an export: canonical JSON, with members of their types."""

import re
from collections.abc import Mapping
from typing import Any, Final

import orjson

from domain.errors import NEVER_RELEASED
from domain.game import Game
from domain.lifecycle import Json
from events.audit.findings import CheckFailed
from events.audit.stream_verifier import is_digest
from events.log import chain
from events.log.export import FORMATS, VERY_BYTES, Exported, Unreadable

_HEADER: Final = {
    "format", "game_id", "game", "rules", "deck", "viewer", "complete", "key_id", "public_key",
}  # fmt: skip
_ID: Final = re.compile(
    r"[0-9A-Za-z_-]{1,100}"
)  # of a game; each salt and signature takes it in, between marks
_END: Final = {"version", "head", "server_seed", "client_seeds", "result", "signature"}


def read(raw: bytes, what: str, version: int | None = None) -> Any:
    """A line as JSON, written as it must be. Raises CheckFailed "format" or "canonical"."""
    try:
        document = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise CheckFailed("format", version, f"{what} is not JSON: {error}.", None, raw) from None
    try:
        written = chain.canonical(document)
    except TypeError as error:
        raise CheckFailed(
            "canonical", version, f"{what} has no canonical form: {error}.", None, raw
        ) from None
    if written != raw:
        detail = f"{what} is not in canonical form. {VERY_BYTES}"
        raise CheckFailed("canonical", version, detail, written, raw)
    return document


def header_of(exported: Exported, games: Mapping[str, Game]) -> Json:
    """The header, whatever it says. Raises CheckFailed; Unreadable for a game that is none of `games`, or of 0.1.0."""
    header: Any = read(exported.header, "The header")
    if type(header) is not dict or header.keys() != _HEADER:
        raise CheckFailed(
            "format", None, "The header must have exactly the members of the format.", sorted(_HEADER), header
        )
    viewer = header["viewer"]
    for name, right in (
        ("format", header["format"] in FORMATS.values()),
        ("game_id", type(header["game_id"]) is str and _ID.fullmatch(header["game_id"]) is not None),
        ("game", type(header["game"]) is str),
        ("rules", type(header["rules"]) is dict),
        ("deck", header["deck"] is None or type(header["deck"]) is list),
        ("viewer", viewer is None or type(viewer) is int),
        ("complete", type(header["complete"]) is bool),
        ("key_id", header["key_id"] is None or type(header["key_id"]) is str),
        ("public_key", header["public_key"] is None or type(header["public_key"]) is dict),
    ):
        if not right:
            raise CheckFailed("format", None, f"{name} of the header is malformed.", None, header[name])
    if header["game"] not in games:
        name = header["game"][:60]
        detail = (
            f"This is a game of {name!r}, whose rules are not known here. Known games: {', '.join(games)}."
        )
        raise Unreadable("unknown-game", detail, exported.at)
    options = [one.name for one in games[header["game"]].option_table if not one.added]
    lacking = [name for name in options if name not in header["rules"]]
    if lacking and header["rules"].keys() < set(options):
        detail = f"This is a game of 0.1.0, whose options lack {', '.join(lacking)}. {NEVER_RELEASED}"
        raise Unreadable("never-released", detail, exported.at)
    return dict(header)


def end_of(exported: Exported) -> Json:
    """Content of the last line, true or not. Raises CheckFailed."""
    document = read(exported.end, "The last line")
    end = document.get("end") if type(document) is dict and len(document) == 1 else None
    if type(end) is not dict or end.keys() != _END:
        raise CheckFailed(
            "format",
            None,
            "The last line must have exactly the members of the format.",
            sorted(_END),
            document,
        )
    seed, signature = end["server_seed"], end["signature"]
    for name, right in (
        ("version", type(end["version"]) is int),
        ("head", is_digest(end["head"])),
        ("server_seed", seed is None or is_digest(seed)),
        ("client_seeds", type(end["client_seeds"]) is list),
        ("result", end["result"] is None or (seed is not None and type(end["result"]) is dict)),
        ("signature", signature is None or _is_signature(signature)),
    ):
        if not right:
            raise CheckFailed("format", None, f"{name} of the last line is malformed.", None, end[name])
    return dict(end)


def _is_signature(value: Any) -> bool:
    return (
        type(value) is dict
        and value.keys() == {"key_id", "signature"}
        and all(type(text) is str for text in value.values())
    )
