# compiled into recording
"""The names of things in Redis. All keys of a game carry its partition's hash tag and so share a slot of a cluster."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from events.log import partitions

PARTITIONS = partitions.PARTITIONS
BESIDE = ("commands", "secrets")  # the hashes that a game has beside its events
partition_of = partitions.partition_of


_TAGS: Final = tuple(f"{{p{partition:03d}}}" for partition in range(PARTITIONS))


def tag(partition: int) -> str:
    """A partition's hash tag, as in {p042}."""
    return _TAGS[partition]


def stream(game_id: str) -> str:
    """A game's events: a stream whose entry ids are `<version>-0`."""
    return f"{tag(partition_of(game_id))}:events:{game_id}"


@lru_cache(maxsize=4096)  # asked for with each move
def append_keys(game_id: str) -> tuple[str, str, str, str, str, str]:
    """Keys that an append touches: the game's events, its commands, its secrets; its partition's feed, its due games,
    and its standings.
    """
    prefix = tag(partition_of(game_id))
    return (
        f"{prefix}:events:{game_id}",
        f"{prefix}:commands:{game_id}",
        f"{prefix}:secrets:{game_id}",
        f"{prefix}:feed",
        f"{prefix}:due",
        f"{prefix}:standings",
    )


def commands(game_id: str) -> str:
    """Events of each command of a game: a hash of command id to `fingerprint:first:last`."""
    return f"{tag(partition_of(game_id))}:commands:{game_id}"


def secrets(game_id: str) -> str:
    """A game's secrets: a hash."""
    return f"{tag(partition_of(game_id))}:secrets:{game_id}"


def tickets(game_id: str) -> str:
    """Times before which a game's tickets are void, by who asked for them: a hash that expires."""
    return f"{tag(partition_of(game_id))}:tickets:{game_id}"


def used_ticket(game_id: str, digest: str) -> str:
    """The request that has used an embed ticket of a game, by the ticket's digest: a string that expires."""
    return f"{tag(partition_of(game_id))}:used-ticket:{game_id}:{digest}"


def presence(game_id: str) -> str:
    """Connected seats of a game: a sorted set by the time at which each ceases to count, which expires."""
    return f"{tag(partition_of(game_id))}:presence:{game_id}"


def rematch(game_id: str) -> str:
    """Seats of a game that want a rematch once it is over: a hash of seat to its new token's hash, which expires."""
    return f"{tag(partition_of(game_id))}:rematch:{game_id}"


def invites(game_id: str) -> str:
    """A game's invites: a hash of id to `seat:digest:until` that expires with the last of them."""
    return f"{tag(partition_of(game_id))}:invites:{game_id}"


def join_code(digest: str) -> str:
    """The seat of a join code, by the digest of its invite: a string that expires."""
    return f"{JOIN_CODES}{digest}"


def feed(partition: int) -> str:
    """References to all appends of a partition, in order: a stream."""
    return f"{tag(partition)}:feed"


def due(partition: int) -> str:
    """The games of a partition that wait for the engine itself: a hash of game id to `what:version:since`."""
    return f"{tag(partition)}:due"


def standings(partition: int) -> str:
    """Standings of a partition's games, until they are settled: a hash of game id to JSON, which lines show."""
    return f"{tag(partition)}:standings"


def lines(app: str) -> str:
    """The lines of an app's listing, by game: a hash."""
    return f"{{app:{app}}}:lines"


def horizon(app: str) -> str:
    """Times before which an app's finished games are not kept here, in milliseconds: a hash of `listed`, `rated`,
    `done` and `gone`.
    """
    return f"{{app:{app}}}:horizon"


def own_data(app: str) -> str:
    """Own data of an app about its games: a hash of game id to `milliseconds:JSON`."""
    return f"{{app:{app}}}:own-data"


def own_data_index(app: str) -> str:
    """Games by values of this data: a sorted set of `mark:creation:game id`, in the order of their bytes."""
    return f"{{app:{app}}}:games:own-data"


def deadlines(partition: int) -> str:
    """Deadlines in the games of a partition: a sorted set of game ids by milliseconds."""
    return f"{tag(partition)}:deadlines"


def seat_forks(partition: int) -> str:
    """Forks that seats have made of a partition's games: a sorted set of `first origin:game id` by milliseconds."""
    return f"{tag(partition)}:seat-forks"


def ended(partition: int) -> str:
    """The ids of a partition's removed games whose creating requests may come again: a set. None gets a second game."""
    return f"{tag(partition)}:ended"


def pruned(partition: int) -> str:
    """The games of a partition that were pruned from the archive: a hash of game id to the day of their end, counted
    from 1970. None gets a second game.
    """
    return f"{tag(partition)}:pruned"


WATCHED = "{p000}:watched"  # when the store was last looked at for time that is up, in milliseconds: a string
OUTAGES = "{p000}:outages"  # when it could not be: a sorted set of `from-to` by `to`, in milliseconds
REMATCHES = (
    "migrato:rematches"  # all requests for rematches: a sorted set of `game:seat` by the second of their end
)
JOIN_CODES = "migrato:join-code:"
PLAYERS_SECRET = "migrato:players:secret"  # noqa: S105 -- the place of the secret, not the secret
REQUESTS_SECRET = "migrato:requests:secret"  # noqa: S105
TICKETS_SECRET = "migrato:tickets:secret"  # noqa: S105
APP_NAMES = "{apps}:names"  # of all apps there are: a sorted set, in the order of their bytes


LISTED_APPS = "{apps}:listed"  # of all apps that have games in a listing: a set
APPS = "{apps}:apps"  # the record of each app, by its name: a hash
APP_KEYS = "{apps}:keys"  # the app that each key is of, by the key's id: a hash
APPS_DELETED = (
    "{apps}:deleted"  # there once an app was deleted, so that nobody does without a key again: a string
)
APP_KEYS_USED = "{apps}:used"  # the day since 1970 on which each key was last used, by the key's id: a hash
FORMAT = (
    "{p000}:format"  # the format in which the store is written, and the one that is to be written: a hash
)
READERS = "{p000}:readers"  # the formats that each process reads, and until when it counts: a hash by process
RETAINING = "{p000}:retaining"  # lock of who lets old games go: a string that expires
RESTORING = "{p000}:restoring"  # which backup is put into the store; `migrato fsck` tells of one that was not finished


def counting_games(app: str, player: str) -> str:
    """The games of a player that may count for ratings and are not over: a sorted set of ids by their beginning."""
    return f"{{app:{app}}}:counting:{player}"


def quick_match(app: str) -> str:
    """Beginning of all keys of an app's quick match: its tickets, players, and those who wait."""
    return f"{{app:{app}}}:quick:"


APP_LOGS = "migrato:app-logs"  # the apps with logs, by the time of the last request for them
ATTENDANCE_ASKED = "migrato:attendance-asked"  # the apps that ask who is connected, by when they last did
ATTENDED = "migrato:attended"  # games of which a seat was told as connected, by when: on the queue's server
WEBHOOKS_LEASE = "migrato:webhooks:lease"  # the process that fills the logs and sends from them
LAST_BACKUP = "migrato:last-backup"  # when the last one that was checked and sound was begun, in milliseconds
WEBHOOKS_CHANGED = "migrato:webhooks:changed"  # endpoints at which that process is to look again: a set


def app_log(app: str) -> str:
    """An app's messages, in order: a stream."""
    return f"{{app:{app}}}:log"


def attendees(app: str) -> str:
    """The seats that are connected as far as an app's log says: a set of `game:seat`."""
    return f"{{app:{app}}}:attendees"


def logged(app: str, game_id: str) -> str:
    """The version up to which a game of the app is in its log: a number."""
    return f"{{app:{app}}}:logged:{game_id}"


def endpoints(app: str) -> str:
    """An app's webhooks: a hash of id to record."""
    return f"{{app:{app}}}:endpoints"


def endpoint_secrets(app: str) -> str:
    """Secrets of the endpoints: a hash of id to secrets."""
    return f"{{app:{app}}}:endpoint-secrets"


def registered_bots(app: str) -> str:
    """An app's own bots: a hash of name to record."""
    return f"{{app:{app}}}:bots"


def bot_secrets(app: str) -> str:
    """Secrets of these bots: a hash of name to secrets."""
    return f"{{app:{app}}}:bot-secrets"


def bot_calls(app: str, day: int) -> str:
    """Counts of the calls of these bots on a day (days since 1970): a hash that expires."""
    return f"{{app:{app}}}:bot-calls:{day}"


def endpoint_cursors(app: str) -> str:
    """Up to where in the app's log each of them has taken its messages: a hash of id to place."""
    return f"{{app:{app}}}:endpoint-cursors"


def backlog(app: str, endpoint_id: str) -> str:
    """The deliveries that an endpoint waits for: a hash of id to record."""
    return f"{{app:{app}}}:backlog:{endpoint_id}"


def dead(app: str, endpoint_id: str) -> str:
    """The deliveries to an endpoint that were given up: a hash of id to record."""
    return f"{{app:{app}}}:dead:{endpoint_id}"


def usage(app: str, day: str) -> str:
    """Usage of an app on a day, as in 2026-11-29, or in a month, as in 2026-11: a hash of counts, which expires."""
    return f"{{app:{app}}}:usage:{day}"


def usage_cursors(app: str) -> str:
    """Cursors of usage, up to which each source has been counted for an app: a hash of source to id."""
    return f"{{app:{app}}}:usage"


def usage_reserved(app: str, kind: str) -> str:
    """Reservations of an app with quotas: games or questions that were admitted and are not counted yet. A sorted set
    by milliseconds, which expires.
    """
    return f"{{app:{app}}}:reserved:{kind}"


def player(player_id: str) -> str:
    """A player's sealed record, and its key in the index: a hash."""
    return f"{tag(partition_of(player_id))}:player:{player_id}"


def player_key(player_id: str) -> str:
    """The key that opens a player's record."""
    return f"{tag(partition_of(player_id))}:player-key:{player_id}"


def player_name(partition: int, digest: bytes) -> str:
    """The id of the player whom the index knows by this digest."""
    return f"{tag(partition)}:player-name:{digest.hex()}"


def player_seeking(partition: int, digest: bytes) -> str:
    """The id that the index has for a player without a game: a string that expires, as the record and key then do."""
    return f"{tag(partition)}:player-seeking:{digest.hex()}"


def erasures(partition: int) -> str:
    """Number of players of a partition destroyed since the append-only file was last rewritten."""
    return f"{tag(partition)}:erasures"


def beside(kind: str, game_id: str) -> str:
    """One of the hashes that a game has beside its events, by its kind (see BESIDE)."""
    return f"{tag(partition_of(game_id))}:{kind}:{game_id}"


def archived(partition: int) -> str:
    """The name of the file to which games of the partition were last moved: a string."""
    return f"{tag(partition)}:archived"


def archiving(partition: int) -> str:
    """Lock of the archiver that moves games of the partition: a string that expires."""
    return f"{tag(partition)}:archiving"


def restored(partition: int) -> str:
    """The games that were brought back from the archive: a hash of game id to when, in milliseconds."""
    return f"{tag(partition)}:restored"


def leaderboards(app: str) -> str:
    """Progress of each of an app's leaderboards through its results: a hash of leaderboard to `revision:mark`."""
    return f"{{app:{app}}}:ladders"


def results(app: str) -> str:
    """Results for an app's ratings, and the ratings that each game has led to: a hash of game id to both."""
    return f"{{app:{app}}}:results"


def results_of(app: str, leaderboard: str, subject: str = "") -> str:
    """The results of a leaderboard, or those of one player or bot in it, in order: a sorted set of `time:id`."""
    return f"{{app:{app}}}:results:{leaderboard}" + (f":{subject}" if subject else "")


def meetings_of(app: str, leaderboard: str, player: str) -> str:
    """A player's results in the leaderboard that another person shares, in order."""
    return f"{results_of(app, leaderboard, player)}:people"


def ratings(app: str, leaderboard: str) -> str:
    """The present ratings of a leaderboard: a hash of whom it rates to the rating."""
    return f"{{app:{app}}}:ratings:{leaderboard}"


def ranks(app: str, leaderboard: str) -> str:
    """Players that a leaderboard rates, by the ordinal of the rating: a sorted set."""
    return f"{{app:{app}}}:leaderboard:{leaderboard}"


# Types of all keys, by their forms, as fsck expects them. `{p}` is the tag of a partition, `{app}` that of an app, and
# `*` any further part of the name.
TYPES: Final[Mapping[str, str]] = {
    "{p}:events:*": "stream",
    "{p}:commands:*": "hash",
    "{p}:secrets:*": "hash",
    "{p}:tickets:*": "hash",
    "{p}:used-ticket:*": "string",
    "{p}:presence:*": "zset",
    "{p}:rematch:*": "hash",
    "{p}:invites:*": "hash",
    "{p}:player:*": "hash",
    "{p}:player-key:*": "string",
    "{p}:player-name:*": "string",
    "{p}:player-seeking:*": "string",
    "{p}:feed": "stream",
    "{p}:due": "hash",
    "{p}:standings": "hash",
    "{p}:deadlines": "zset",
    "{p}:seat-forks": "zset",
    "{p}:ended": "set",
    "{p}:pruned": "hash",
    "{p}:watched": "string",
    "{p}:outages": "zset",
    "{p}:erasures": "string",
    "{p}:archived": "string",
    "{p}:archiving": "string",
    "{p}:restored": "hash",
    "{p}:retaining": "string",
    "{p}:format": "hash",
    "{p}:readers": "hash",
    "{p}:fence": "string",
    "{app}:lines": "hash",
    "{app}:horizon": "hash",
    "{app}:own-data": "hash",
    "{app}:creating": "zset",
    "{app}:games": "zset",
    "{app}:games:*": "zset",
    "{app}:counting:*": "zset",
    "{app}:ladders": "hash",
    "{app}:results": "hash",
    "{app}:results:*": "zset",
    "{app}:ratings:*": "hash",
    "{app}:leaderboard:*": "zset",
    "{app}:quick:ticket:*": "hash",
    "{app}:quick:player:*": "string",
    "{app}:quick:rated:*": "zset",
    "{app}:quick:open:*": "zset",
    "{app}:log": "stream",
    "{app}:logged:*": "string",
    "{app}:attendees": "set",
    "{app}:endpoints": "hash",
    "{app}:endpoint-secrets": "hash",
    "{app}:endpoint-cursors": "hash",
    "{app}:usage": "hash",
    "{app}:usage:*": "hash",
    "{app}:bots": "hash",
    "{app}:bot-secrets": "hash",
    "{app}:bot-calls:*": "hash",
    "{app}:reserved:*": "zset",
    "{app}:backlog:*": "hash",
    "{app}:dead:*": "hash",
    APP_NAMES: "zset",
    APPS: "hash",
    APP_KEYS: "hash",
    APP_KEYS_USED: "hash",
    APPS_DELETED: "string",
    LISTED_APPS: "set",
    PLAYERS_SECRET: "string",
    REQUESTS_SECRET: "string",
    TICKETS_SECRET: "string",
    REMATCHES: "zset",
    APP_LOGS: "zset",
    ATTENDANCE_ASKED: "zset",
    ATTENDED: "zset",
    LAST_BACKUP: "string",
    WEBHOOKS_LEASE: "string",
    WEBHOOKS_CHANGED: "set",
    JOIN_CODES + "*": "string",
}
