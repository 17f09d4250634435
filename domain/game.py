"""The interface of a game: a decider (`initial`, `decide`, `evolve`), and what a service needs to show and to store a
game.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from domain.bot import Bot, Budget, Choice, Considered, Stop, Strength, never
from domain.chance import Chance
from domain.lifecycle import EventRecord, GameStatus, Json, Result, Seat, Viewer
from domain.options import Option, OptionVariant
from domain.words.languages import ENGLISH


class Rules(Protocol):
    """The rules: a decider, views, and moves. States, commands and events are opaque to callers."""

    @property
    def name(self) -> str: ...
    @property
    def seat_counts(self) -> Sequence[int]:
        """The numbers of seats that a game may have, in ascending order."""

    @property
    def rule_books(self) -> Sequence[str]:
        """The names of its rule variants."""

    @property
    def option_table(self) -> Sequence[Option]:
        """Its options, one for each member of the resolved options."""

    @property
    def starter_option(self) -> str | None:
        """The option that takes the number of the seat that starts; None if there is no such option."""

    @property
    def rated_options(self) -> Mapping[str, Any]:
        """The resolved options that a game must have for its result to be compared with other games' results."""

    def initial(self) -> Any: ...
    def decide(self, state: Any, seat: int | None, command: Any, chance: Chance) -> Sequence[Any]:
        """The events that `command` causes, or DomainError; pure."""

    def evolve(self, state: Any, event: Any) -> Any:
        """The state after the event. Recorded history is never refused."""

    def status(self, state: Any) -> GameStatus: ...
    def ended(self, state: Any, places: tuple[int, ...], reason: str) -> Any:
        """The event `game_ended` with these places, by seat, and the scores of that state."""

    def with_result(self, state: Any, result: Result) -> Any:
        """The state of a game that is over with that result; `state` may also be that of a game that has
        not started.
        """

    def with_seats(self, state: Any, seats: tuple[Seat, ...]) -> Any:
        """The state with these seats in place of the former ones; their number is the same."""

    def parse_move(self, document: Json) -> Any:
        """The command that a posted move means; DomainError "validation-error" names the field."""

    def move_document(self, command: Any) -> Json: ...
    def legal_moves(self, state: Any, seat: int) -> list[Json]:
        """Every legal move of the seat, ready to be posted; [] when it is not that seat's turn."""

    def view(self, state: Any, viewer: Viewer, *, whole: bool = False) -> Json | None:
        """View of the state, field by field; None before the game starts.

        `whole`: everything, for a look back at a game that is over by now.
        """

    def preview(self, state: Any, seat: int, command: Any) -> tuple[list[EventRecord], bool]:
        """The events that would follow, as far as the seat may know them, and whether these are all of them."""

    def reveals_nothing(self, event: Any) -> bool:
        """True if the event shows nobody, not even a spectator, anything that was hidden from them: no card, and no
        chance.

        Only events that are part of a move are asked about. In a game whose events all reveal something, no move is
        taken back.
        """

    def taken_back(self, former: Any, seat: int, to_version: int) -> Any:
        """The event that takes the seat's last move back, to the state after event `to_version`."""

    def redact(self, stored: EventRecord, viewer: Viewer) -> tuple[Json, list[str]]:
        """The event's data as the viewer may see it while the game runs, and the sorted names of the hidden fields.

        Null stands for what is hidden: a whole field or a part of it. All else is as recorded. The result depends on
        the event alone, and a seat sees at least what a spectator (None) sees.
        """


class Bots(Protocol):
    """Bots, and the knowledge of a seat. A bot sees only an observation."""

    @property
    def default_seats(self) -> tuple[Seat, ...]:
        """The usual seats: a person and the game's usual bots."""

    @property
    def sparring_bots(self) -> tuple[str, ...]:
        """The usual bots of self-play, by seat."""

    def initial_knowledge(self) -> Any: ...
    def update_knowledge(self, knowledge: Any, seat: int, before: Any, event: Any, after: Any) -> Any:
        """The knowledge of a seat that forgets nothing after the event, updated from what the seat may see of the
        event.
        """

    def resample(self, state: Any, seat: int, knowledge: Any, seed: int) -> Any:
        """The state with all cards that the seat cannot know drawn anew, given only what the seat sees
        and remembers.
        """

    def observe(self, state: Any, seat: int, knowledge: Any) -> Any:
        """Observation of the seat: all that it sees and remembers. Bots get this instead of the state."""

    def position(self, document: Json) -> Any:
        """The observation that follows from a seat's view and history; DomainError "validation-error",
        "impossible-position".
        """

    @property
    def bots(self) -> Mapping[str, Bot]: ...
    @property
    def kept_bots(self) -> Mapping[str, Bot]:
        """Bots of former versions, by name and version: games that were created with one go on with it."""

    @property
    def levels(self) -> Sequence[str]:
        """Names of the bots that the page and the terminal offer, the weakest first."""

    @property
    def strengths(self) -> Mapping[str, Strength]:
        """Measured strength of its bots, by name; a bot that was not measured is missing."""

    @property
    def agreements(self) -> Mapping[str, Sequence[float]]:
        """Measured rates at which honest players choose as a bot does, by the bot's name and the kind of the choice."""

    def chances(self, observation: Any) -> Sequence[Sequence[float]]:
        """The chances of each legal move for people of several strengths, a row for each; none if nobody knows."""

    @property
    def newcomer_elo(self) -> int:
        """The strength of a new player, on the scale of `strengths`."""

    @property
    def hint_bot(self) -> str:
        """The bot that gives hints unless another one is asked for."""

    def bot(self, name: str) -> Bot:
        """The bot of that name, or of that name and version (`domain.bot.bot_named`); DomainError "unknown-bot"."""

    def think(
        self, observation: Any, bot: str, seed: int, budget: Budget | None = None, stop: Stop = never
    ) -> Choice:
        """Decision of the bot, with its own budget unless another one is given; see `domain.bot`."""

    @property
    def judge(self) -> str | None:
        """Name and version of the judge of moves in games that are over; None for a game without one."""

    def judged(self, observation: Any) -> Sequence[Considered]:
        """Every legal move as the judge weighs it, the best first; [] without a judge."""

    def explained(self, observation: Any, bot: str, choice: Choice) -> Sequence[Considered]:
        """The moves that the bot considered, from `choice`, with reasons where the game can give some."""

    @property
    def fallback_bot(self) -> str: ...
    def fallback_move(self, state: Any, seat: int) -> Any:
        """A legal and sensible command that is cheap to find, to play in place of a bot that failed."""


class Records(Protocol):
    """Records: events as they are stored, a recorded game that an audit replays, and the archive's tables.

    A record was checked by nobody before. Types of columns: "int8", "int16", "string", "strings" (a list), "name" (a
    string with few different values).
    """

    def encode(self, event: Any) -> EventRecord: ...
    def decode(self, stored: EventRecord) -> Any: ...
    def is_consequence(self, before: EventRecord, stored: EventRecord) -> bool:
        """True if the event only follows from the one before it, without a decision in between."""

    @property
    def chance_events(self) -> frozenset[str]:
        """The types of events that record what chance gave."""

    @property
    def resignation_events(self) -> frozenset[str]:
        """The types of events by which a player gives up; no bot chooses these."""

    @property
    def lookahead(self) -> Mapping[str, int]:
        """The number of events after a move's first event that `infer_move` needs, by the type of that event; a missing
        type needs none.
        """

    def infer_move(self, state: Any, record: EventRecord, following: Sequence[EventRecord]) -> Json | None:
        """The move that begins with the event, as it would be posted; None if no move does.

        The move need not be legal or well formed: `parse_move` and `decide` check it.
        """

    def recorded_setup(self, data: Json) -> Json | None:
        """The `setup` with which a game was created, from the data of its first event; None for a fair game."""

    @property
    def option_variants(self) -> Sequence[OptionVariant]:
        """Other values of the options that may leave no trace in the events; several values of an option
        may be tried.
        """

    def stand_in(self, kind: str, field: str, data: Json) -> Any:
        """A value that a hidden field may have in an event that shows `data`; KeyError if the field is never hidden.

        Impossible `data` raise ArithmeticError, AttributeError, LookupError, TypeError or ValueError.
        """

    def position_fault(self, state: Any) -> str | None:
        """A sentence that says why no game can reach the position with which a fork begins; None if one can.

        Raises the errors of `stand_in` where a part of the state does not even have its type.
        """

    def same_position(self, one: Any, other: Any) -> bool:
        """True if two states differ at most in how their games were set up."""

    def view_scores(self, view: Json) -> Sequence[int] | None:
        """The scores that a view shows, by seat; None if views show none."""

    @property
    def game_columns(self) -> Mapping[str, str]:
        """The game's own columns of the table of games, with their types."""

    def game_row(self, state: Any) -> Json:
        """Values of the game's own columns for a game that is over."""

    @property
    def event_columns(self) -> Mapping[str, str]:
        """The members of events' data that have a column of their own in the table of events, with their types."""

    def conservation_fault(self, state: Any) -> str | None:
        """A sentence that names the fault if cards are missing or doubled, which no event may cause; None if there is
        none.
        """


class Presentation(Protocol):
    """Words and drawings for people."""

    def notation(self, stored: EventRecord, language: str = ENGLISH) -> str:
        """The event in one readable line, in one of LANGUAGES; hidden fields may be None."""

    @property
    def automatic_moves(self) -> frozenset[str]:
        """Types of moves that are made for a person without asking if they are the only legal ones, such as passing."""

    @property
    def legend(self) -> str:
        """Legend of the cards and signs in a drawn table, as plain text; "" where they need no explanation."""

    def draw(self, view: Json, seat: int) -> str:
        """The table as plain text, from the seat's view as the service gives it."""

    def describe_move(self, move: Json, view: Json | None = None, language: str = ENGLISH) -> str:
        """A legal move in words, in one of LANGUAGES.

        `view`: the view in which the move is legal, for a text that can show the cards of the move.
        """


class Game(Rules, Bots, Records, Presentation, Protocol):
    """A whole game. Code that needs one part of it takes that part's interface."""
