"""Stored form of a game, in Redis and in the archive alike: its events, and the hashes beside them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import orjson

from domain.lifecycle import EventRecord
from events.errors import CorruptStream
from events.log.envelope import RecordedEvent
from events.log.game_secrets import OPEN, Remote, Secrets
from events.log.signing import SignedHead


class Entry(NamedTuple):
    """Stored form of an event: its canonical bytes, the chain's head after it (hex), its command's id."""

    event: bytes
    head: bytes
    command: bytes


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A whole game: its events in order, and the hashes beside them by their kinds."""

    game_id: str
    entries: tuple[Entry, ...]
    beside: Mapping[str, Mapping[str, str]]

    @property
    def version(self) -> int:
        """The version of the game: the number of its events."""
        return len(self.entries)

    @property
    def head(self) -> str:
        """The chain's head at the end."""
        return self.entries[-1].head.decode()

    @property
    def secrets(self) -> Secrets:
        """Secrets of the game; CorruptStream if it is not there."""
        fields = self.beside["secrets"]
        if not {"seed", "app", "visibility", "game", "created_at"} <= set(fields):
            raise CorruptStream(f"Game {self.game_id} has no secrets, or not all of them.")
        try:
            return secrets_of(fields)
        except (LookupError, ValueError) as error:
            raise CorruptStream(f"The secrets of game {self.game_id} cannot be read.") from error

    def events(self, after: int = 0, limit: int | None = None) -> list[RecordedEvent]:
        """The events after a version, at most `limit`, as the use-cases read them.

        Raises CorruptStream where an entry does not stand in its place, or else what reading no event at all raises.
        """
        return [
            recorded_event(version, entry)
            for version, entry in enumerate(self.entries[after:][:limit], after + 1)
        ]


def recorded_event(version: int, entry: Entry) -> RecordedEvent:
    """The event of that version; CorruptStream if the entry has another one."""
    document = orjson.loads(entry.event)
    if document["version"] != version:
        raise CorruptStream(f"In the place of event {version} stands event {document['version']}.")
    return RecordedEvent(
        version,
        document["at"],
        EventRecord(document["type"], document["schema"], document["seat"], document["data"]),
        entry.command.decode(),
        entry.head.decode(),
        entry.event,
    )


def secret_fields(secrets: Secrets) -> list[str]:
    """A game's secrets as fields of a hash, name and value in turn."""
    fields = ["seed", secrets.seed.hex(), "app", secrets.app, "visibility", secrets.visibility]
    fields += ["game", secrets.game, "created_at", secrets.created_at]
    for seat, remote in secrets.remotes.items():
        fields += [f"remote:{seat}", f"{remote.secret} {remote.url}"]
    if secrets.joining != OPEN:
        fields += ["joining", secrets.joining]
    if secrets.signature is not None:
        fields += ["signature", signature_text(secrets.signature)]
    if secrets.rematch_of is not None:
        fields += ["rematch_of", secrets.rematch_of]
    if secrets.first_origin is not None:
        fields += ["first_origin", secrets.first_origin]
    return fields + token_fields(secrets.tokens)


def token_fields(tokens: Mapping[int, str]) -> list[str]:
    """The hashes of seats' tokens as such fields."""
    return [part for seat, digest in tokens.items() for part in (f"token:{seat}", digest)]


def secrets_of(fields: Mapping[str, str]) -> Secrets:
    """A game's secrets from the fields of their hash."""
    tokens = {int(name[6:]): digest for name, digest in fields.items() if name.startswith("token:")}
    remotes = {int(name[7:]): _remote(value) for name, value in fields.items() if name.startswith("remote:")}
    return Secrets(
        bytes.fromhex(fields["seed"]),
        fields["app"],
        fields["visibility"],
        fields["game"],
        fields["created_at"],
        tokens,
        remotes,
        signature_of(fields["signature"]) if "signature" in fields else None,
        fields.get("rematch_of"),
        fields.get("joining", OPEN),
        fields.get("first_origin"),
    )


def signature_text(signed: SignedHead) -> str:
    """The signature of a game's final head as the value of such a field."""
    return f"{signed.key_id} {signed.version} {signed.head} {signed.signature}"


def signature_of(value: str) -> SignedHead:
    """The signature that `signature_text` wrote."""
    key_id, version, head, signature = value.split()
    return SignedHead(key_id, int(version), head, signature)


def _remote(value: str) -> Remote:
    secret, _, url = value.partition(" ")
    return Remote(url, secret)
