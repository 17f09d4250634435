"""A move that is taken back: when that can be, who must agree, and that it is then as if it had never been made."""

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from domain.clocks.clock import Clock, clock_set
from domain.clocks.clock import evolve as clock_after
from domain.clocks.options import ClockOptions
from domain.common_events.clocks import FORMER_SET, SET_SCHEMA, TurnTimedOut, encode
from domain.common_events.takebacks import ANSWERED, REQUESTED, TAKEN_BACK
from domain.errors import DomainError
from domain.game import Game
from domain.interventions import KINDS as INTERVENTIONS
from domain.lifecycle import (
    AbortGame,
    Create,
    EventRecord,
    HandOver,
    Json,
    PlayBotMove,
    ReissueToken,
    ReplacePlayer,
    Seat,
)
from domain.migo.game import MIGO
from domain.migrato.belief.knowledge import Knowledge
from domain.migrato.codec.history_reader import replay
from domain.migrato.codec.readers import Field
from domain.migrato.game import MIGRATO
from domain.migrato.rules.state import setup_of
from domain.takebacks import takebacks
from domain.takebacks.decide import AnswerTakeback, AskTakeback, decide, missing
from domain.takebacks.takebacks import MOST_REQUESTS
from tests.domain.playing import chance_of
from tests.domain.table import refusal
from tests.support.tricks import TRICKS


class OpenTricks(type(TRICKS)):  # type: ignore[misc]
    """A game on the base that says what its events reveal: this one's cards might as well lie open."""

    def reveals_nothing(self, event: EventRecord) -> bool:
        return event.type == "card_played"


CASES: list[tuple[Game, int, Json]] = [
    (MIGRATO, 2, {}),
    (MIGRATO, 2, {"rules": "opla", "return_flight": True, "memory_aid": True}),
    (MIGO, 2, {}),
    (MIGO, 4, {}),
    (OpenTricks(), 3, {}),
]
every_case = pytest.mark.parametrize(
    ("game", "seats", "options"), CASES, ids=[f"{game.name} {n} {list(more)}" for game, n, more in CASES]
)


class Table:
    """A game as it is lived through: its state, what can be taken back, and what each seat knows."""

    def __init__(self, game: Game, *seats: Seat, seed: int = 1, options: Json | None = None) -> None:
        self.game = game
        self.state = game.initial()
        self.seed = seed
        self.takebacks = takebacks.NONE
        self.records: list[EventRecord] = []
        self.clock: Clock | None = None
        self.at = 0
        self.knowledge = [game.initial_knowledge() for _ in seats]
        self.happen(game.decide(self.state, None, Create("test", "c", options or {}, seats), chance_of(seed)))

    def happen(self, events: Sequence[Any]) -> list[str]:
        """The events, as they are stored and read again; their types."""
        game = self.game
        for one in events:
            record = game.encode(one)
            event = game.decode(record)
            before, self.state = self.state, game.evolve(self.state, event)
            self.records.append(record)
            if self.clock is not None:
                self.clock = clock_after(self.clock, record, game.status(self.state), self.at)
            happened = (len(self.records), event, record, before, self.state)
            self.takebacks = takebacks.evolve(self.takebacks, game, happened)
            if self.state is not before:
                self.knowledge = [
                    game.update_knowledge(known, seat, before, event, self.state)
                    for seat, known in enumerate(self.knowledge)
                ]
        return [self.game.encode(event).type for event in events]

    def play(self, move: Json) -> list[str]:
        """A move of the seat that is to act."""
        command, seat = self.game.parse_move(move), self.to_act
        return self.happen(self.game.decide(self.state, seat, command, chance_of(self.seed)))

    def app(self, command: Any) -> list[str]:
        """A command of the app, which is no seat's."""
        return self.happen(self.game.decide(self.state, None, command, chance_of(self.seed)))

    def ask(self, seat: int) -> list[str]:
        """The seat asks to take its last move back."""
        return self.happen(decide(self.game, self.state, self.takebacks, seat, AskTakeback()))

    def answer(self, seat: int, agrees: bool = True) -> list[str]:
        """The seat agrees, or refuses."""
        return self.happen(decide(self.game, self.state, self.takebacks, seat, AnswerTakeback(agrees)))

    def refusal(self, seat: int, command: Any = None) -> str:
        """The code of why the seat's request is refused."""
        return refusal(decide, self.game, self.state, self.takebacks, seat, command or AskTakeback()).code

    @property
    def to_act(self) -> int:
        seat = self.game.status(self.state).to_act
        assert seat is not None
        return seat

    @property
    def moves(self) -> list[Json]:
        return self.game.legal_moves(self.state, self.to_act)

    def set_clock(self, options: ClockOptions) -> None:
        self.clock = clock_set(options, self.game.status(self.state), self.at)

    @property
    def left(self) -> tuple[int, ...]:
        """Everybody's time by the clock."""
        assert self.clock is not None
        return self.clock.left_at(self.at)

    def is_over(self) -> bool:
        return self.game.status(self.state).status == "finished"

    def views(self) -> list[Json | None]:
        """The spectator's, and each seat's."""
        viewers = [None, *range(len(self.knowledge))]
        return [self.game.view(self.state, viewer) for viewer in viewers]


def people(seats: int) -> tuple[Seat, ...]:
    return tuple(Seat("human", f"p{seat}", client_seed=f"s{seat}") for seat in range(seats))


def faces_shown(view: Any) -> Counter[str]:
    """Every card that a view of Migrato shows by its face."""
    shown = Counter(view["discard_pile"])
    for player in view["players"]:
        shown.update(player["hand"] or ())
        shown.update(card["face"] for column in player["columns"] for card in column["cards"] if card["face"])
        for pile in player["arrivals"].values():
            shown.update(pile)
    return shown


def same_knowledge(one: Any, other: Any) -> bool:
    """True if two seats know the same; how likely they take it for, but for rounding."""
    if not isinstance(one, Knowledge):
        return bool(one == other)
    weights = [{pools: weight for weight, pools in known.hypotheses} for known in (one, other)]
    return bool(one.face_down == other.face_down and weights[0] == pytest.approx(weights[1]))


def last_turn(knowledge: Any) -> Any:
    """A seat's knowledge of its opponent's last turn, where the game has bots that read it."""
    return knowledge.last_turn if isinstance(knowledge, Knowledge) else None


def all_take_back(table: Table, seat: int) -> list[str]:
    """The seat asks, and everybody agrees."""
    types = table.ask(seat)
    for other in missing(table.game, table.state, seat, frozenset()):
        types += table.answer(other)
    return types


@every_case
def test_it_is_as_if_the_move_had_never_been_made(game: Game, seats: int, options: Json) -> None:
    """State, views, legal moves and what everybody knows: then, and whatever is played afterwards."""
    rng = random.Random(1)
    table = Table(game, *people(seats), options=options)
    plain = Table(game, *people(seats), options=options)
    taken_back = 0
    for _ in range(80):
        if table.is_over():
            break
        before, views, moves, knowledge = table.state, table.views(), table.moves, table.knowledge
        seat, version = table.to_act, len(table.records)
        move = rng.choice(moves)
        for tried in rng.sample(moves, min(3, len(moves))):
            one = Table.__new__(Table)
            one.__dict__.update(table.__dict__, records=list(table.records))
            one.play(tried)
            if one.is_over():
                continue
            assert one.takebacks.last is not None
            if one.takebacks.last.learnt_by is not None:
                assert one.refusal(seat) == "something-was-learnt"
                continue
            assert all_take_back(one, seat) == [REQUESTED, *[ANSWERED] * (seats - 1), TAKEN_BACK]
            assert one.records[-1].seat == seat
            assert one.records[-1].data["to_version"] == version
            assert one.state == before
            assert one.views() == views
            assert one.moves == moves
            assert all(map(same_knowledge, one.knowledge, knowledge))
            assert last_turn(one.knowledge[seat]) == last_turn(knowledge[seat])
            assert one.refusal(seat) == "nothing-to-take-back"
            taken_back += 1
            one.takebacks = takebacks.NONE  # so many are not allowed
            table, version = one, len(one.records)
        table.play(move)
        plain.play(move)
        assert table.state == plain.state
        assert all(map(same_knowledge, table.knowledge, plain.knowledge))
        assert list(map(last_turn, table.knowledge)) == list(map(last_turn, plain.knowledge))
    assert taken_back > 3


@pytest.mark.parametrize("options", [{"memory_aid": True}, {"rules": "opla", "memory_aid": True}])
def test_cards_are_learnt_that_a_view_newly_shows(options: Json) -> None:
    """A move of Migrato that may be taken back shows no card to anybody; one that may not, mostly does."""
    silent, exceptions = 0, Counter[str]()
    for seed in range(3):
        rng = random.Random(seed)
        table = Table(MIGRATO, *people(2), seed=seed, options=options)
        while not table.is_over() and len(table.records) < 600:
            seat = table.to_act
            before = [faces_shown(view) for view in table.views()]
            types = table.play(rng.choice(table.moves))
            if table.is_over():
                break
            shown = any(faces_shown(after) - then for after, then in zip(table.views(), before, strict=True))
            last = table.takebacks.last
            assert last is not None
            assert last.seat == seat
            if last.learnt_by is None:
                assert not shown, types
                silent += 1
            elif not shown and "cards_drawn" not in types:
                exceptions[last.learnt_by] += 1
    assert silent > 20
    assert set(exceptions) <= {"turn_passed", "birds_arrived", "arrival_failed", "return_flight_taken"}


def test_a_seat_that_looks_back_reads_the_same() -> None:
    """A seat's history, with a move taken back in it, leads to the table and the knowledge that the seat has."""
    taken_back = 0
    for seed in range(2):
        rng = random.Random(seed)
        table = Table(MIGRATO, *people(2), seed=seed, options={"memory_aid": True})
        for _ in range(40):
            seat = table.to_act
            table.play(rng.choice(table.moves))
            if table.is_over():
                break
            last = table.takebacks.last
            if last is None or last.learnt_by is not None:
                continue
            all_take_back(table, seat)
            taken_back += 1
            table.takebacks = takebacks.NONE  # so many are not allowed
            for viewer in (0, 1):
                history: list[Json] = [
                    {"version": version, "type": record.type, "schema": record.schema, "seat": record.seat}
                    | {"data": MIGRATO.redact(record, viewer)[0]}
                    for version, record in enumerate(table.records, 1)
                ]
                _, knowledge = replay(Field(history, "history"), setup_of(table.state).rules, viewer)
                assert same_knowledge(knowledge, table.knowledge[viewer])
                assert knowledge.last_turn == table.knowledge[viewer].last_turn
                moved = [one | {"data": {**one["data"], "turn": 999}} for one in history[-1:]]
                with pytest.raises(DomainError, match="not the position before"):
                    replay(Field([*history[:-1], *moved], "history"), setup_of(table.state).rules, viewer)
    assert taken_back > 5


def taken(seats: int = 2) -> Table:
    """A game of Migo in which seat 0 has taken one card."""
    table = fresh(*people(seats))
    table.play(table.moves[0])
    return table


NOTHING = "nothing-to-take-back"
YES = AnswerTakeback(True)


def fresh(*seats: Seat) -> Table:
    """A game of Migo that seat 0 begins."""
    return Table(MIGO, *seats, options={"first_seat": 0})


def resign(table: Table, seat: int) -> None:
    table.happen(MIGO.decide(table.state, seat, MIGO.parse_move({"type": "resign"}), chance_of(1)))


class TestAsking:
    def test_only_the_seat_that_moved_last_may_ask(self) -> None:
        """Only the seat that moved last may ask; before the first move nobody may."""
        table = fresh(*people(2))
        assert table.refusal(0) == table.refusal(1) == NOTHING
        table.play(table.moves[0])
        assert table.refusal(1) == NOTHING
        table.play(table.moves[0])
        assert table.refusal(0) == NOTHING

    def test_no_move_of_a_bot_is_taken_back(self) -> None:
        table = fresh(Seat("bot", bot="greedy"), Seat("human", "ada"))
        move = MIGO.parse_move(table.moves[0])
        chosen = PlayBotMove(move, "greedy", "1", None, None, None, None)
        table.happen(MIGO.decide(table.state, 0, chosen, chance_of(1)))
        assert table.refusal(0) == table.refusal(1) == NOTHING

    def test_nobody_asks_in_a_game_that_is_over(self) -> None:
        table = taken()
        table.app(AbortGame("app"))
        assert table.refusal(0) == "game-over"

    def test_there_is_a_limit_for_each_seat(self) -> None:
        """A seat that asks and withdraws uses up no requests of another seat."""
        table = taken()
        for _ in range(MOST_REQUESTS):
            assert table.ask(0) == [REQUESTED]
            assert table.answer(0, False) == [ANSWERED]
        assert table.refusal(0) == "no-more-takebacks"
        table.play(table.moves[0])
        assert table.ask(1) == [REQUESTED]

    def test_a_game_on_the_base_takes_nothing_back_unless_it_says_so(self) -> None:
        table = Table(TRICKS, *people(3))
        seat = table.to_act
        table.play(table.moves[0])
        assert table.refusal(seat) == "something-was-learnt"


class TestAgreeing:
    def test_everybody_else_must_agree(self) -> None:
        """A word that was said before changes nothing, nor do remarks in between."""
        table = taken(3)
        before = table.state
        table.app(ReissueToken(1))
        assert table.ask(0) == [REQUESTED]
        assert table.ask(0) == []
        assert table.answer(1) == [ANSWERED]
        assert table.answer(1) == table.answer(0) == []
        assert table.state == before
        table.app(ReissueToken(1))
        assert missing(MIGO, table.state, 0, table.takebacks.agreed) == (2,)
        assert table.answer(2) == [ANSWERED, TAKEN_BACK]
        assert table.to_act == 0

    def test_one_refusal_ends_it(self) -> None:
        table = taken(3)
        table.ask(0)
        table.answer(1)
        assert table.answer(2, False) == [ANSWERED]
        assert table.refusal(1, YES) == NOTHING
        table.ask(0)
        assert table.takebacks.agreed == frozenset()

    def test_the_asker_may_withdraw_and_a_move_ends_it(self) -> None:
        table = taken()
        table.ask(0)
        assert table.answer(0, False) == [ANSWERED]
        assert table.refusal(1, YES) == NOTHING
        table.ask(0)
        table.play(table.moves[0])
        assert table.refusal(1, YES) == NOTHING

    @pytest.mark.parametrize("agrees", [True, False])
    def test_an_answer_may_say_to_which_request(self, agrees: bool) -> None:
        table = taken()
        table.ask(0)
        last = table.takebacks.last
        assert last is not None
        for other in (last.version - 1, last.version + 1):
            assert table.refusal(1, AnswerTakeback(agrees, other)) == NOTHING
        said = decide(table.game, table.state, table.takebacks, 1, AnswerTakeback(agrees, last.version))
        assert table.happen(said)[0] == ANSWERED

    def test_bots_agree_at_once(self) -> None:
        table = fresh(Seat("human", "ada"), Seat("bot", bot="greedy"))
        before = table.state
        table.play(table.moves[0])
        assert table.ask(0) == [REQUESTED, TAKEN_BACK]
        assert table.state == before

    def test_a_seat_that_has_resigned_has_no_say(self) -> None:
        """Neither to agree nor to refuse: nobody who is not asked can end what another asks."""
        table = fresh(*people(3))
        resign(table, 2)
        assert table.refusal(2) == "something-was-learnt"
        table.play(table.moves[0])
        table.ask(0)
        for agrees in (True, False):
            assert table.refusal(2, AnswerTakeback(agrees)) == NOTHING
        assert table.takebacks.asked
        assert table.answer(1) == [ANSWERED, TAKEN_BACK]

    def test_a_new_player_on_the_seat_has_not_made_the_move(self) -> None:
        for app in (None, "app"):
            table = taken()
            table.ask(0)
            table.app(HandOver(app, 0, "zoe"))
            assert table.refusal(0) == NOTHING

    def test_another_player_on_a_seat_begins_anew(self) -> None:
        """The seats stay as they are: only the table goes back."""
        for command in (ReplacePlayer("app", 1, "greedy"), HandOver("app", 1, "zoe")):
            table = taken()
            before = table.game.status(table.state).seats
            table.ask(0)
            table.app(command)
            assert table.refusal(1, YES) == NOTHING
            types = all_take_back(table, 0)
            assert types[-1] == TAKEN_BACK
            seats = table.game.status(table.state).seats
            assert seats != before
            assert seats[1].stands_in

    @pytest.mark.parametrize("game", [MIGRATO, MIGO, OpenTricks()], ids=lambda game: game.name)
    def test_a_seat_that_the_clock_gives_to_a_bot(self, game: Game) -> None:
        """It makes no move: the last one is still there to be taken back, and everybody knows what they knew."""
        table = Table(game, *people(3 if game.name == "tricks" else 2))
        table.play(table.moves[0])
        last, knowledge = table.takebacks.last, table.knowledge
        up = encode(TurnTimedOut(table.to_act, "2026-11-21T12:00:00.000Z", "replace"))
        table.happen([game.decode(up)])
        table.app(ReplacePlayer("app", table.to_act, "random"))
        assert (table.takebacks.last, table.knowledge) == (last, knowledge)
        assert {"player_replaced", "seat_handed_over"} <= INTERVENTIONS


BANK = ClockOptions("bank", 60_000, 5_000, "forfeit", None)


def test_time_that_was_used_stays_used() -> None:
    """A bank gets no increment for a turn that is taken up again, nor for the one that this interrupts."""
    table = Table(MIGO, *people(2), options={"first_seat": 0})
    table.set_clock(BANK)
    table.at = 7_000
    table.play(table.moves[0])
    assert table.left == (58_000, 60_000)
    table.at = 9_000
    all_take_back(table, 0)
    assert table.to_act == 0
    assert table.left == (53_000, 58_000)


class TestATurnThatIsTakenUpAgain:
    """A turn that is taken up again, by a clock of a minute for each turn."""

    ALONE = (Seat("human"), Seat("bot", bot="greedy"), Seat("bot", bot="greedy"))

    def table(self, *seats: Seat, schema: int = SET_SCHEMA) -> Table:
        table = Table(MIGO, *seats, options={"first_seat": 0})
        table.set_clock(ClockOptions("per-move", 60_000, 0, "forfeit", None, schema))
        return table

    def test_it_goes_on_with_what_was_left(self) -> None:
        """Any number of times; what came in between does not count, and the next turn has its whole time."""
        table = self.table(*self.ALONE)
        for spent in (20_000, 39_999):
            table.at += spent
            table.play(table.moves[0])
            assert table.left == (60_000, 60_000, 60_000)
            table.at += 5_000
            table.ask(0)
        assert table.left == (1, 60_000, 60_000)
        for seat in range(3):
            assert table.to_act == seat
            table.play(table.moves[0])
        assert table.left == (60_000, 60_000, 60_000)

    def test_it_has_its_whole_time_where_somebody_agreed(self) -> None:
        """The seat that agreed has its whole time once it is to act again."""
        table = self.table(*people(2))
        for _ in range(2):
            table.at += 20_000
            table.play(table.moves[0])
            table.at += 20_000
            all_take_back(table, 0)
            assert table.left == (60_000, 60_000)
        table.play(table.moves[0])
        assert table.left == (60_000, 60_000)

    def test_a_request_that_was_withdrawn_gives_nothing_later(self) -> None:
        """The one of three who agreed to it has left when the next one comes."""
        table = self.table(Seat("human"), Seat("human"), Seat("bot", bot="greedy"))
        table.at = 20_000
        table.play(table.moves[0])
        table.ask(0)
        table.answer(0, agrees=False)
        table.app(ReplacePlayer("app", 1, "greedy"))
        table.ask(0)
        assert table.left == (40_000, 60_000, 60_000)

    def test_the_next_turn_of_the_same_seat_goes_on_too(self) -> None:
        """In Migo: whoever drinks has another one, and could take its time as often as the drink is taken back."""
        table = self.table(*self.ALONE)
        while (drinks := [move for move in table.moves if move.get("drink")]) == [] or table.to_act != 0:
            table.play(next((move for move in table.moves if "drink" not in move), table.moves[0]))
        for spent in (0, 25_000, 59_999):
            table.play(drinks[0])
            assert (table.to_act, table.left[0]) == (0, 60_000 - spent)
            table.at = 25_000 if spent == 0 else 59_999
            table.ask(0)
            assert (table.to_act, table.left[0]) == (0, 60_000)

    def test_a_clock_that_was_set_before_counts_as_it_did(self) -> None:
        """Games that were recorded so stand up to an audit."""
        table = self.table(*self.ALONE, schema=FORMER_SET)
        table.at = 20_000
        table.play(table.moves[0])
        table.ask(0)
        assert table.left == (60_000, 60_000, 60_000)
