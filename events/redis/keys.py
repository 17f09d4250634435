"""The names of things in Redis. All keys of a game carry its partition's hash tag and so share a slot of a cluster."""

from events.log import partitions

PARTITIONS = partitions.PARTITIONS
BESIDE = ("commands", "secrets")  # the hashes that a game has beside its events
partition_of = partitions.partition_of


def tag(partition: int) -> str:
    """A partition's hash tag, as in {p042}."""
    return f"{{p{partition:03d}}}"


def stream(game_id: str) -> str:
    """A game's events: a stream whose entry ids are `<version>-0`."""
    return f"{tag(partition_of(game_id))}:events:{game_id}"


def append_keys(game_id: str) -> tuple[str, str, str, str, str]:
    """What an append touches: the game's events, its commands, its secrets; its partition's feed and due games."""
    prefix = tag(partition_of(game_id))
    return (
        f"{prefix}:events:{game_id}",
        f"{prefix}:commands:{game_id}",
        f"{prefix}:secrets:{game_id}",
        f"{prefix}:feed",
        f"{prefix}:due",
    )


def commands(game_id: str) -> str:
    """What each command of a game caused: a hash of command id to `fingerprint:first:last`."""
    return f"{tag(partition_of(game_id))}:commands:{game_id}"


def secrets(game_id: str) -> str:
    """A game's secrets: a hash."""
    return f"{tag(partition_of(game_id))}:secrets:{game_id}"


def feed(partition: int) -> str:
    """References to all appends of a partition, in order: a stream."""
    return f"{tag(partition)}:feed"


def due(partition: int) -> str:
    """The games of a partition that wait for the engine itself: a hash of game id to `what:version:since`."""
    return f"{tag(partition)}:due"


PLAYERS_SECRET = "migrato:players:secret"  # noqa: S105 -- where it is, not what it is
REQUESTS_SECRET = "migrato:requests:secret"  # noqa: S105


def player(player_id: str) -> str:
    """A player's sealed record, and what the index knows it by: a hash."""
    return f"{tag(partition_of(player_id))}:player:{player_id}"


def player_key(player_id: str) -> str:
    """The key that opens a player's record."""
    return f"{tag(partition_of(player_id))}:player-key:{player_id}"


def player_name(partition: int, digest: bytes) -> str:
    """The id of the player whom the index knows by this digest."""
    return f"{tag(partition)}:player-name:{digest.hex()}"


def erasures(partition: int) -> str:
    """How many players of a partition were destroyed since the append-only file was last rewritten: a number."""
    return f"{tag(partition)}:erasures"


def beside(kind: str, game_id: str) -> str:
    """One of the hashes that a game has beside its events, by its kind (see BESIDE)."""
    return f"{tag(partition_of(game_id))}:{kind}:{game_id}"


def archived(partition: int) -> str:
    """The name of the file to which games of the partition were last moved: a string."""
    return f"{tag(partition)}:archived"


def archiving(partition: int) -> str:
    """Held by whoever moves games of the partition just now: a string that expires."""
    return f"{tag(partition)}:archiving"


def restored(partition: int) -> str:
    """The games that were brought back from the archive: a hash of game id to when, in milliseconds."""
    return f"{tag(partition)}:restored"
