# compiled into migo
"""The options of a game: values, resolved once when it is created, and written into its first event."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from domain.errors import invalid
from domain.lifecycle import Json
from domain.migo.rules.cards import CARD_TABLES, CARDS, IDS, KINDS, MOST_PIECES, SHERPA, SIDES, CardTable
from domain.migo.rules.layouts import LARGE, LAYOUTS, PYRAMID, PYRAMIDS, ROPES, SMALL, Layout, layout_of
from domain.options import CLAIM_AFTER, Option, chosen, rated_options, recorded, written
from domain.value import Value

SEAT_COUNTS: Final = (2, 3, 4)
LAYOUT_SIZES: Final = ("standard", "large")
MOST_TAKES: Final = 1000  # that a `turn_limit` may allow; no game has as many
FLAGS_TO_WIN: Final = 2
TOKENS: Final = 3


class Options(Value):
    """All that a game was created with. `first_seat` is a seat or "random"."""

    __match_args__ = ("layout_size", "first_seat", "round4_layout", "turn_limit", "card_table", "claim_after")

    def __init__(
        self,
        layout_size: str,
        first_seat: int | str,
        round4_layout: str,
        turn_limit: int | None,
        card_table: CardTable,
        claim_after: int | None = None,
    ) -> None:
        self.layout_size = layout_size
        self.first_seat = first_seat
        self.round4_layout = round4_layout
        self.turn_limit = turn_limit
        self.card_table = card_table
        self.claim_after = claim_after


OPTIONS: Final = (
    Option(
        "layout_size",
        "choice",
        "With large, two players use the layouts of three and four.",
        default="standard",
        choices=LAYOUT_SIZES,
        shows_in="round_started",
    ),
    Option("first_seat", "seat", "Who starts round 1.", default=0, shows_in="game_started", unrated=3),
    Option(
        "round4_layout",
        "choice",
        "The layout of round 4.",
        default="ropes",
        choices=LAYOUTS,
        shows_in="round_started",
    ),
    Option(
        "turn_limit",
        "int",
        "End a game after so many cards taken, by flags and points as they stand.",
        minimum=1,
        maximum=MOST_TAKES,
        shows_in="game_ended",
        unrated=1,
    ),
    Option(
        "card_table", "choice", "The card table.", default="standard", choices=tuple(CARD_TABLES), unrated=2
    ),
    CLAIM_AFTER,
)


def resolve(options: Mapping[str, Any], seats: int) -> Options:
    """The options that a caller's mean in a game of so many seats; every option has a default.

    Raises DomainError "validation-error" that names the option.
    """
    return Options(**chosen(OPTIONS, options, seats, {"card_table": _card_table}))


def _card_table(option: object) -> CardTable:
    """A named card table, or one by card: {"E01": {"a": {"kind": ..., "count": ...}, "b": ...}, ...}, all 25 of them.

    Fronts are climbers, so that a sherpa can always be turned to one; a sherpa shows no pieces, a climber at least one.
    """
    where = "options.card_table"
    if isinstance(option, str) and option in CARD_TABLES:
        return CARD_TABLES[option]
    if not isinstance(option, Mapping):
        raise invalid(where, f"Must be one of: {', '.join(CARD_TABLES)}; or an object of cards.")
    if set(option) != set(IDS):
        raise invalid(where, f"Must have the {CARDS} cards {IDS[0]} to {IDS[-1]}.")
    kinds: list[int] = []
    counts: list[int] = []
    for card in IDS:
        if not isinstance(option[card], Mapping) or set(option[card]) != set(SIDES):
            raise invalid(f"{where}.{card}", "Must have a front, `a`, and a back, `b`.")
        for side in SIDES:
            kind, count = _shown(option[card][side], f"{where}.{card}.{side}", front=side == SIDES[0])
            kinds.append(kind)
            counts.append(count)
    return CardTable(tuple(kinds), tuple(counts))


def _shown(face: object, where: str, *, front: bool) -> tuple[int, int]:
    """The kind of a face, and how many pieces of it there are."""
    if not isinstance(face, Mapping) or set(face) != {"kind", "count"}:
        raise invalid(where, "Must have a kind and a count.")
    kind, count = face["kind"], face["count"]
    kinds = KINDS[:SHERPA] if front else KINDS
    if not isinstance(kind, str) or kind not in kinds:
        raise invalid(f"{where}.kind", f"Must be one of: {', '.join(kinds)}.")
    least, most = (0, 0) if kind == KINDS[SHERPA] else (1, MOST_PIECES)
    if type(count) is not int or not least <= count <= most:
        raise invalid(f"{where}.count", f"Must be a whole number from {least} to {most} for {kind}.")
    return KINDS.index(kind), count


def face_document(table: CardTable, face: int) -> Json:
    """Picture of a face."""
    return {"kind": KINDS[table.kinds[face]], "count": table.counts[face]}


@lru_cache(maxsize=1024)
def options_document(options: Options) -> Json:
    """Every option, resolved, as it stands in the first event and in the API; shared, not to be changed."""

    def value(name: str) -> Any:
        return _cards(options.card_table) if name == "card_table" else getattr(options, name)

    return written(OPTIONS, value)


def _cards(table: CardTable) -> Json:
    """Both faces of each card."""
    return {
        card: {side: face_document(table, 2 * number + back) for back, side in enumerate(SIDES)}
        for number, card in enumerate(IDS)
    }


# Layouts are published, and rated alike.
RATED_OPTIONS: Final[Json] = rated_options(OPTIONS, options_document(resolve({}, SEAT_COUNTS[0])))


def options_from(document: Json) -> Options:
    """The options as a first event recorded them; the inverse of `options_document`."""
    values = recorded(OPTIONS, document)
    values["card_table"] = _table_from(values["card_table"])
    return Options(**values)


def _table_from(cards: Json) -> CardTable:
    faces = [cards[card][side] for card in IDS for side in SIDES]
    return CardTable(
        tuple([KINDS.index(face["kind"]) for face in faces]), tuple([face["count"] for face in faces])
    )


def last_round(seats: int) -> int:
    """The round after which the winner is known at the latest (rules 2, ruling M16)."""
    return 3 if seats == SEAT_COUNTS[0] else 4


def round_layout(options: Options, seats: int, number: int) -> Layout:
    """Layout of round `number`, from 1 on (rules 2, ruling M2)."""
    names = (ROPES, PYRAMID, PYRAMIDS, options.round4_layout)
    return layout_of(names[number - 1], size_of_layouts(options.layout_size, seats))


def size_of_layouts(layout_size: str, seats: int) -> str:
    """Layouts for so many seats with that option: SMALL or LARGE (rules 2)."""
    return SMALL if seats == SEAT_COUNTS[0] and layout_size != LARGE else LARGE
