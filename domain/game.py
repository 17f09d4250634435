"""A game is a decider: `initial`, `decide`, `evolve`; around it what a service needs to show and to store a game."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from domain.bot import Bot, Budget, Choice, Stop, Strength, never
from domain.chance import Chance
from domain.lifecycle import EventRecord, GameStatus, Json, Seat, Viewer


class Game(Protocol):
    """States, commands and events are the game's own and opaque here; `Json` is what goes over a wire."""

    @property
    def name(self) -> str: ...
    @property
    def seat_counts(self) -> Sequence[int]:
        """How many seats a game may have, in ascending order."""

    @property
    def default_seats(self) -> tuple[Seat, ...]:
        """Who plays where nobody says who: a person and the game's usual bots."""

    @property
    def rule_books(self) -> Sequence[str]:
        """The names of its rule variants."""

    def initial(self) -> Any: ...
    def decide(self, state: Any, seat: int | None, command: Any, chance: Chance) -> Sequence[Any]:
        """The events that `command` causes, or DomainError; pure."""

    def evolve(self, state: Any, event: Any) -> Any:
        """The state after the event; never refuses recorded history."""

    def status(self, state: Any) -> GameStatus: ...
    def parse_move(self, document: Json) -> Any:
        """The command that a posted move means; DomainError "validation-error" names the field."""

    def move_document(self, command: Any) -> Json: ...
    def legal_moves(self, state: Any, seat: int) -> list[Json]:
        """Every legal move of the seat, ready to be posted; [] when it is not that seat's turn."""

    def view(self, state: Any, viewer: Viewer, *, whole: bool = False) -> Json | None:
        """What the viewer may see of the state, field by field; None before the game starts.

        `whole`: everything, for a look back at a game that is over by now.
        """

    def preview(self, state: Any, seat: int, command: Any) -> tuple[list[EventRecord], bool]:
        """The events that would follow as far as the seat may know, and whether that is all of them."""

    def encode(self, event: Any) -> EventRecord: ...
    def decode(self, wire: EventRecord) -> Any: ...
    def is_consequence(self, before: EventRecord, wire: EventRecord) -> bool:
        """Whether the event only follows from the one before it: nobody decided anything in between."""

    def redact(self, wire: EventRecord, viewer: Viewer) -> tuple[Json, list[str]]:
        """The event's data as the viewer may see it while the game runs, and the names of the hidden fields."""

    def notation(self, wire: EventRecord) -> str:
        """The event in one readable line; hidden fields may be None."""

    def initial_knowledge(self) -> Any: ...
    def update_knowledge(self, memory: Any, seat: int, before: Any, event: Any, after: Any) -> Any:
        """What the seat, if it forgets nothing, knows after the event, from what it may see of it."""

    def resample(self, state: Any, seat: int, memory: Any, seed: int) -> Any:
        """The state with what the seat cannot know drawn anew, from what it sees and remembers, and nothing else."""

    def observe(self, state: Any, seat: int, memory: Any) -> Any:
        """What the seat sees and remembers: bots are shown this instead of the state."""

    def position(self, document: Json) -> Any:
        """The same from a seat's view and history; DomainError "validation-error", "impossible-position"."""

    @property
    def bots(self) -> Mapping[str, Bot]: ...
    @property
    def strengths(self) -> Mapping[str, Strength]:
        """How strong its bots are, by name; one that is missing has not been measured."""

    @property
    def hint_bot(self) -> str:
        """The bot that gives hints unless another one is asked for."""

    def bot(self, name: str) -> Bot:
        """The bot of that name, or DomainError "unknown-bot"."""

    def think(
        self, seen: Any, bot: str, seed: int, budget: Budget | None = None, stop: Stop = never
    ) -> Choice:
        """What the bot comes to, by its own budget unless another one is given; see `domain.bot`."""

    @property
    def fallback_bot(self) -> str: ...
    def fallback_move(self, state: Any, seat: int) -> Any:
        """A legal, cheap and sensible command, for a bot that failed."""
