"""The interface that a game on the base supplies: its rules, and what each viewer may see."""

from collections.abc import Mapping, Sequence
from typing import Any

from domain.base.table import CREATED, Table
from domain.bot import NONE_KEPT, Bot, Strength
from domain.chance import Chance
from domain.errors import invalid
from domain.lifecycle import EventRecord, Json, Result, Viewer
from domain.options import Option, OptionVariant
from domain.prng import Prng
from domain.random_bot import RANDOM


class GameRules:
    """A game keeps what lies on its table as JSON, its `position`, and its events as they are stored.

    It makes the first position (`deal`, `begin`), gives a seat's view of a position (`view_for`), the legal moves by
    that view (`moves`), the events of a move (`play`), the position after an event (`apply`) and the result
    (`outcome`).
    """

    name: str
    seat_counts: Sequence[int]
    rule_books: Sequence[str] = ("standard",)
    events: Mapping[str, frozenset[str]]
    """The game's own events, with the fields that everybody may see."""
    bots: Mapping[str, Bot] = {RANDOM.name: RANDOM}
    kept_bots: Mapping[str, Bot] = NONE_KEPT
    fallback_bot = hint_bot = RANDOM.name
    judge: str | None = None
    strengths: Mapping[str, Strength] = {}
    agreements: Mapping[str, Sequence[float]] = {}
    newcomer_elo: int = 0
    option_table: Sequence[Option] = ()
    starter_option: str | None = None
    rated_options: Mapping[str, Any] = {}
    automatic_moves: frozenset[str] = frozenset()
    legend = ""
    chance_events = frozenset(("game_started",))
    resignation_events = frozenset(("player_resigned",))
    lookahead: Mapping[str, int] = {}
    option_variants: Sequence[OptionVariant] = ()
    game_columns: Mapping[str, str] = {}
    event_columns: Mapping[str, str] = {}

    def options(self, chosen: Json) -> Json:
        """The options with every default filled in; DomainError "validation-error" for one that cannot be."""
        if chosen:
            raise invalid(f"options.{min(chosen)}", f"{self.name} has no such option.")
        return {}

    def deal(self, table: Table, chance: Chance) -> Json:
        """The results of chance, or those that were `prepared` in its place: the data of the event `game_started`."""
        raise NotImplementedError

    def begin(self, dealt: Json, seats: int) -> Json:
        """The position after the deal."""
        raise NotImplementedError

    def to_act(self, position: Json) -> int:
        """The seat whose move it is."""
        raise NotImplementedError

    def moves(self, view: Json, seat: int) -> list[Json]:
        """The legal moves of a seat that sees the position so, ready to be posted."""
        raise NotImplementedError

    def play(self, position: Json, seat: int, move: Json, chance: Chance) -> list[EventRecord]:
        """The events that a legal move causes."""
        raise NotImplementedError

    def apply(self, position: Json, record: EventRecord) -> Json:
        """The position after one of the game's own events; a new object, because positions are never changed."""
        raise NotImplementedError

    def outcome(self, position: Json) -> Result | None:
        """Result of the game; None while it goes on."""
        raise NotImplementedError

    def resigned(self, position: Json, seat: int) -> Result:
        """Result of the game when the seat gives it up; its scores are those of the present position."""
        raise NotImplementedError

    # Who may see what

    def view_for(self, position: Json, viewer: Viewer) -> Json:
        """View of a seat, or of a spectator, of the position while the game runs, member by member."""
        raise NotImplementedError

    def full_view(self, position: Json) -> Json:
        """View of the position for everybody, once the game is over."""
        return position

    def visible_field(self, record: EventRecord, field: str, viewer: Viewer) -> Any:
        """Value of an event's field that is not public, as the viewer may see it; None hides it."""
        return None

    def reveals_nothing(self, event: EventRecord) -> bool:
        """True if an event of a move reveals nothing hidden to anybody. A game that always answers False has no
        takebacks.
        """
        return False

    def stand_in(self, kind: str, field: str, data: Json) -> Any:
        """A value that a hidden field of an event could have."""
        raise NotImplementedError

    def redraw(self, position: Json, seat: int, rng: Prng) -> Json:
        """The position with all cards drawn anew that the seat cannot know."""
        raise NotImplementedError

    # For the audit

    def move_of(self, record: EventRecord) -> Json | None:
        """The move that begins with the event; None if none does."""
        raise NotImplementedError

    def recorded_setup(self, data: Json) -> Json | None:
        """The prepared part of the first event's data: the members that only this game has; None for a fair game."""
        prepared = {name: value for name, value in data.items() if name not in CREATED}
        return prepared if any(value is not None for value in prepared.values()) else None

    def fault(self, position: Json) -> str | None:
        """Fault of a position that no play can lead to, such as doubled cards; None if there is none."""
        return None
