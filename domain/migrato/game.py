"""Migrato behind the protocol that every game implements."""

from collections.abc import Sequence

from domain.bots import BOTS
from domain.bots.bot import Rng
from domain.chance import Chance
from domain.errors import DomainError
from domain.lifecycle import Create, Json, Standing, Viewer, Wire
from domain.migrato import notation, view, wire
from domain.migrato.decide import Command, decide
from domain.migrato.documents import move_document, parse_move
from domain.migrato.events import Event
from domain.migrato.legal import legal_moves
from domain.migrato.moves import Move
from domain.migrato.observation import observe
from domain.migrato.preview import preview
from domain.migrato.rules import options_document
from domain.migrato.state import INITIAL, OVER, WAITING, State, evolve, setup_of


class Migrato:
    """The game as a decider; every function is pure."""

    name = "migrato"

    def initial(self) -> State:
        """Before the first event."""
        return INITIAL

    def decide(self, state: State, seat: int | None, command: Command, chance: Chance) -> Sequence[Event]:
        """See `domain.migrato.decide`; besides, DomainError "unknown-bot" for a seat's bot that is not there."""
        if isinstance(command, Create):
            for given in command.seats:
                if given.kind == "bot" and given.bot not in BOTS:
                    raise DomainError(
                        "unknown-bot", f"There is no bot {given.bot!r}; there is: {', '.join(BOTS)}."
                    )
        return decide(state, seat, command, chance)

    def evolve(self, state: State, event: Event) -> State:
        """The state after the event."""
        return evolve(state, event)

    def standing(self, state: State) -> Standing:
        """What anybody may ask."""
        setup = setup_of(state)
        limit = setup.rules.turn_limit
        return Standing(
            status="waiting" if state.phase is WAITING else "finished" if state.phase is OVER else "playing",
            seats=setup.seats,
            turn=min(state.turn, limit) if limit else state.turn,
            to_act=state.to_act,
            rated=setup.deck is None,
            setup=setup.deck is not None,
            options=options_document(setup.rules),
            result=state.result,
            commitment=setup.commitment,
        )

    def parse_move(self, document: Json) -> Move:
        """See `domain.migrato.documents`."""
        return parse_move(document)

    def legal_moves(self, state: State, seat: int) -> list[Json]:
        """The seat's legal moves, ready to be posted."""
        return [move_document(move) for move in legal_moves(state)] if seat == state.to_act else []

    def view(self, state: State, viewer: Viewer) -> Json | None:
        """See `domain.migrato.view`."""
        return view.view(state, viewer)

    def preview(self, state: State, seat: int, command: Move) -> tuple[list[Wire], bool]:
        """See `domain.migrato.preview`."""
        return preview(state, seat, command)

    def encode(self, event: Event) -> Wire:
        """See `domain.migrato.wire`."""
        return wire.encode(event)

    def decode(self, stored: Wire) -> Event:
        """See `domain.migrato.wire`."""
        return wire.decode(stored)

    def redact(self, stored: Wire, viewer: Viewer) -> tuple[Json, list[str]]:
        """See `domain.migrato.view`."""
        return view.redact(stored, viewer)

    def notation(self, stored: Wire) -> str:
        """See `domain.migrato.notation`."""
        return notation.notation(stored)

    def choose(self, state: State, seat: int, bot: str, rng: Rng) -> Move:
        """The bot's move for the seat that is to act, from what that seat may know."""
        return BOTS[bot].choose(observe(state, seat), rng)

    def fallback_move(self, state: State, seat: int) -> Move:
        """What the greedy bot would do: legal, cheap and sensible."""
        return BOTS["greedy"].choose(observe(state, seat), _NoChance())


class _NoChance:
    """For a bot that asks for none."""

    def randrange(self, stop: int, /) -> int:
        return 0


MIGRATO = Migrato()
