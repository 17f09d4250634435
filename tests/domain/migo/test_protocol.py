"""The engine asks more of Migo than rules: forks, dry runs, what is hidden, the audit, positions, drawings."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from domain.bot import Budget
from domain.lifecycle import Create, EventRecord, Fork, Json, Origin, PlayBotMove, Score, Seat, TakeHint
from domain.migo.game import MIGO
from domain.migo.net.later_rounds import chances_by_flags
from domain.migo.rules.events import CardTaken
from domain.migo.rules.state import State
from tests.domain.migo.table import (
    CHANCE,
    finish_round,
    game,
    laid,
    people,
    played,
    resign,
    side,
    table,
    view,
)
from tests.domain.playing import chance_of
from tests.domain.table import refusal

ORIGIN = Origin("origin", 7, "ab" * 32, resampled=False, seat=None)
GAMES = [(2, {}), (2, {"layout_size": "large", "turn_limit": 40}), (3, {"first_seat": "random"}), (4, {})]
every_game = pytest.mark.parametrize(("seats", "options"), GAMES)
SECOND = laid("E20b E19b", number=2)


def commands(seats: int, options: Json, seed: int = 1) -> Iterator[tuple[State, list[Any], State]]:
    """A random game, in which somebody of more than two resigns: the events of every command, and the states around."""
    create = Create("test", "c" * 64, options, people(seats))

    def leaver(state: State) -> int | None:
        return 1 if seats > 2 and state.takes == 20 and not state.resigned else None

    return played(create, Random(seed), chance_of(seed), leaver)


def events_of(seats: int, options: Json, seed: int) -> Iterator[tuple[Any, State]]:
    """Every event of such a game, and the state after it."""
    for state, events, _ in commands(seats, options, seed):
        for event in events:
            state = MIGO.evolve(state, event)
            yield event, state


def decisions(seats: int, options: Json) -> Iterator[tuple[State, int]]:
    """The states in which somebody is to act, with the seat."""
    for _, _, state in commands(seats, options):
        if state.to_act is not None:
            yield state, state.to_act


def stored(event: Any) -> Any:
    """The event as it is read again from the store."""
    record = MIGO.encode(event)
    return MIGO.decode(record._replace(data=json.loads(json.dumps(record.data))))


def forked(state: State) -> State:
    """The state of a game that goes on from this one."""
    events = MIGO.decide(
        MIGO.initial(), None, Fork("fork", "c2", people(len(state.players)), ORIGIN, state), chance_of(9)
    )
    assert [stored(event) for event in events] == list(events)
    after = MIGO.initial()
    for event in events:
        after = MIGO.evolve(after, event)
    return after


def shown(state: State) -> Json:
    """The view of the seat to act, as the API gives it."""
    status, seat = MIGO.status(state), state.to_act
    document: Json = {
        "game": "migo",
        "status": status.status,
        "viewer": seat,
        "to_act": seat,
        "turn": status.turn,
    }
    document["seats"] = [{"player": f"p{seat}"} for seat in range(len(state.players))]
    document |= {"options": status.options, "state": MIGO.view(state, seat)}
    copy: Json = json.loads(json.dumps(document))
    return copy


@every_game
def test_nothing_is_lost_of_a_position(seats: int, options: Json) -> None:
    """By a fork, by way of the store, nor by a view: a bot that is given it chooses from the same observation.

    A dry run tells all but the next round.
    """
    for state, seat in decisions(seats, options):
        fork = forked(state)
        assert MIGO.same_position(fork, state)
        assert MIGO.position_fault(fork) is None
        assert MIGO.status(fork).turn == MIGO.status(state).turn
        assert MIGO.legal_moves(fork, seat) == MIGO.legal_moves(state, seat)
        assert MIGO.position({"view": shown(state), "history": None}) == MIGO.observe(state, seat)
        move = MIGO.parse_move(MIGO.legal_moves(state, seat)[-1])
        told, whole = MIGO.preview(state, seat, move)
        happened = [MIGO.encode(event) for event in MIGO.decide(state, seat, move, CHANCE)]
        assert told == [record for record in happened if record.type != "round_started"]
        assert whole == (len(told) == len(happened))


def test_a_fork_keeps_prepared_rounds_and_a_resampled_one_does_not() -> None:
    state = game(rounds=[laid(), SECOND])
    assert [MIGO.encode(CardTaken(0, 5, 3)).data["card"]] == ["E02"]
    assert view(finish_round(forked(state)))["table"][0]["card"] == "E20"
    drawn = MIGO.resample(state, 0, None, 1)
    assert (drawn.prepared, MIGO.same_position(drawn, state)) == ((), False)
    assert MIGO.view(drawn, 0) == MIGO.view(state, 0)
    assert MIGO.resample(game(), 0, None, 1) == game()
    redrawn = finish_round(forked(drawn))
    assert [card["card"] + card["face"] for card in view(redrawn)["table"]] != SECOND


def test_games_that_cannot_be_forked() -> None:
    over = resign(game(), 0).happens()
    for state, seats, code in (
        (over, people(2), "game-over"),
        (MIGO.initial()._replace(players=(side(), side())), people(2), "game-not-started"),
        (game(), people(3), "validation-error"),
        (game(), (Seat("open"), Seat("human")), "validation-error"),
    ):
        fork = Fork("fork", "c", seats, ORIGIN, state)
        assert refusal(MIGO.decide, MIGO.initial(), None, fork, CHANCE).code == code


def test_positions_that_cannot_be() -> None:
    """Each position that cannot be is refused with its own reason."""
    state = finish_round(game(3))
    one, two, three = state.players
    wrong: list[tuple[Json, str]] = [
        ({"boxed": (0,)}, "every card once"),
        ({"number": 3}, "no such round"),
        ({"number": True}, "no such round"),
        ({"to_act": 3}, "no such seat"),
        ({"resigned": (2, 2)}, "cannot have resigned"),
        ({"resigned": (0, 1)}, "cannot have resigned"),
        ({"resigned": (state.to_act,)}, "has resigned"),
        ({"takes": 3}, "so many takes"),
        ({"players": (one, two, three._replace(full=2, empty=2))}, "more bottle tokens"),
        ({"players": (one, two, three._replace(full=-1))}, "no such bottle tokens"),
        ({"players": (one, two, three._replace(last=99))}, "was not made"),
        ({"players": (one._replace(flags=2), two, three)}, "flags"),
        ({"prepared": ((0,),)}, "cannot be laid out"),
    ]
    for change, words in wrong:
        fault = MIGO.position_fault(state._replace(**change))
        assert words in str(fault), change
    gone = state.table[0]
    covered = state._replace(lying=state.lying & ~1, discarded=(gone,), takes=state.takes + 1)
    assert "covered" in str(MIGO.position_fault(covered))


@every_game
def test_every_event_tells_its_move(seats: int, options: Json) -> None:
    """The audit infers it from the events, and it causes those very events."""
    for number, (state, events, _) in enumerate(commands(seats, options, 7)):
        record, *following = [MIGO.encode(event) for event in events]
        assert not MIGO.is_consequence(record, record)
        assert all(MIGO.is_consequence(record, later) for later in following)
        if number:
            move = MIGO.infer_move(state, record, following[: MIGO.lookahead.get(record.type, 0)])
            assert move is not None
            assert list(MIGO.decide(state, record.seat, MIGO.parse_move(move), chance_of(7))) == events
    assert MIGO.infer_move(state, EventRecord("round_ended", 1, None, {}), []) is None


def test_only_rounds_that_are_still_to_be_laid_out_are_hidden() -> None:
    """The position of a fork hides only the rounds that are still to be laid out."""
    for state in (game(rounds=[laid(), SECOND]), game()):
        events = MIGO.decide(MIGO.initial(), None, Fork("f", "c", people(2), ORIGIN, state), CHANCE)
        data, names = MIGO.redact(MIGO.encode(events[1]), 0)
        assert names == (["prepared"] if state.prepared else [])
        assert data["prepared"] == (None if state.prepared else [])


def test_stand_ins_can_be_read() -> None:
    """A value that may stand for a hidden field makes an event that is written back the same."""
    setup = {"rounds": [laid()]}
    (created, *_) = MIGO.decide(MIGO.initial(), None, Create("t", "c", {}, people(2), setup), CHANCE)
    record = MIGO.encode(created)
    filled = record._replace(data={**record.data, "rounds": MIGO.stand_in("game_created", "rounds", {})})
    assert MIGO.encode(MIGO.decode(filled)) == filled
    with pytest.raises(KeyError):
        MIGO.stand_in("card_taken", "card", {})


def test_views_that_are_no_position() -> None:
    changes: list[tuple[Json, str, str]] = [
        ({"to_act": 1}, "impossible-position", "view.to_act"),
        ({"viewer": None}, "impossible-position", "view.viewer"),
        ({"viewer": 7}, "validation-error", "view.viewer"),
        ({"status": "finished"}, "impossible-position", "view.status"),
        ({"game": "migrato"}, "validation-error", "view.game"),
        ({"options": []}, "validation-error", "view.options"),
        ({"options": {"rules": "opla"}}, "validation-error", "view.options.rules"),
        ({"state": None}, "validation-error", "view.state"),
        ({"state": {"players": 3}}, "validation-error", "view.state.players"),
        ({"turn": 9}, "impossible-position", "view.state"),
        ({"turn": "x"}, "validation-error", "view.state"),
    ]
    view = MIGO.view(game(), 0)
    for change, code, field in changes:
        told = {"viewer": 0, "to_act": 0, "turn": 1, "options": {}, "state": view, **change}
        why = refusal(MIGO.position, {"view": told})
        assert (why.code, list(why.data["errors"])) == (code, [field]), change


@every_game
def test_everything_is_told_in_words(seats: int, options: Json) -> None:
    """Events, tables and moves are all told in words."""
    for event, state in events_of(seats, options, 5):
        assert MIGO.notation(MIGO.encode(event))
        if state.number:
            drawn = MIGO.draw(shown(state), 0)
            assert "you" in drawn
            assert drawn.count("[") == sum(card["free"] for card in view(state)["table"])
        for move in MIGO.legal_moves(state, state.to_act or 0):
            text = f"take the card at place {move['place']}"
            assert MIGO.describe_move(move).startswith(text)
            (card,) = [card for card in view(state)["table"] if card["place"] == move["place"]]
            assert MIGO.describe_move(move, {"state": view(state)}).startswith(f"{text}, {card['card']} ")


def drawing(state: State, **more: Any) -> str:
    """The table as seat 0 sees it, against a bot."""
    seats = [{"player": "ada"}, {"bot": "greedy"}]
    seen = {"turn": 1, "options": {"layout_size": "standard"}, "seats": seats}
    return MIGO.draw({**seen, "state": view(state) | more}, 0)


def test_a_drawing() -> None:
    state = table(side("E12a", full=1), side("E02a"), lying="E01a E06b")
    assert drawing(state).splitlines() == [
        "greedy: 0 flags, 6 points in this round, bottles: 0 full, 0 empty",
        "  E02 rope2/ice",
        "",
        "round 1, turn 1, bottles left: 2",
        "place up/down, in brackets: can be taken, carab: carabiner, cramp: crampons, ice: ice axe",
        "",
        "0 rope/cramp",
        "[1 ice/cramp2]",
        "",
        "you: 0 flags, 2 points in this round, bottles: 1 full, 0 empty",
        "  E12 hat/rope2",
    ]


def test_cells_of_any_width_stand_in_columns() -> None:
    """A single flag is drawn as one; an empty table is not drawn."""
    state = table(side(flags=1), side(), lying="E25a E01a E02a E03a E04a E05a E06a E07a")
    drawn = drawing(state).splitlines()
    first, second = (next(line for line in drawn if line.startswith(f"{place} ")) for place in (0, 1))
    assert first.index(" 6 ") + 1 == second.index("[7 ")
    assert drawn[-2].startswith("you: 1 flag, ")
    empty = drawing(state, table=[])
    assert "\n\n\n" not in empty
    assert "carabiner" not in empty


def test_a_move_is_told_with_its_cards() -> None:
    """The card at the place, and what is turned over to what."""
    seen = {"state": view(table(side("E12a", full=1), side(), lying="E01a E25b"))}
    move = {"type": "take", "place": 1, "flip": "E12", "drink": True}
    text = "take the card at place 1, E25 sherpa/carab, turn E12 over to rope2, drink and play again"
    assert MIGO.describe_move(move, seen) == text
    assert MIGO.describe_move(move | {"flip": None, "drink": False}, seen) == (
        "take the card at place 1, E25 sherpa/carab, turn no card over"
    )
    assert MIGO.describe_move(move) == "take the card at place 1, turn E12 over, drink and play again"


def test_the_archive_has_columns_of_its_own() -> None:
    *_, (_, state) = events_of(3, {}, 2)
    row = MIGO.game_row(state)
    assert row.keys() == MIGO.game_columns.keys()
    assert [row[f"flags_{seat}"] for seat in range(4)] == [player.flags for player in state.players] + [None]
    (scored,) = MIGO.decide(state, None, Score(), CHANCE)
    confirmed = MIGO.evolve(state, scored)
    result = MIGO.status(confirmed).result
    assert result is not None
    assert result.scored
    assert MIGO.decide(confirmed, None, Score(), CHANCE) == []


def test_conservation_finds_what_is_missing_or_twice() -> None:
    state = game()
    assert MIGO.conservation_fault(MIGO.initial()) is None
    assert MIGO.conservation_fault(state) is None
    assert MIGO.conservation_fault(state._replace(boxed=state.boxed[1:])) == "cards were not conserved"
    tokens = state._replace(players=(side(full=4), side()))
    assert MIGO.conservation_fault(tokens) == "bottle tokens were not conserved"


def test_option_variants_are_other_options() -> None:
    """Each can be made of the options and of the state alike."""
    state = game(4)
    for variant in MIGO.option_variants:
        options = MIGO.status(state).options
        other = variant.options(options)
        assert other[variant.option] != options[variant.option]
        assert MIGO.status(variant.state(state)).options == other


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_bots_play_whole_games(seats: int) -> None:
    """Each in its turn: legal moves, the same for the same seed; with what tells how they were chosen."""
    state, chance = game(seats, turn_limit=60), chance_of(seats)
    bots = ("random", "greedy", "heuristic", "maxn-easy", "net")
    while state.to_act is not None:
        seat, seen, bot = state.to_act, MIGO.observe(state, state.to_act), bots[state.takes % len(bots)]
        choice = MIGO.think(seen, bot, 5)
        assert choice.move == MIGO.think(seen, bot, 5).move
        assert choice.move in seen.moves
        (hint,) = MIGO.decide(state, seat, TakeHint(bot, "1", None, "0" * 16), chance)
        assert MIGO.evolve(state, hint) is state
        for event in MIGO.decide(state, seat, PlayBotMove(choice.move, bot, "1", None, None), chance):
            assert MIGO.decode(MIGO.encode(event)) == event
            state = MIGO.evolve(state, event)
    assert MIGO.status(state).status == "finished"
    create = Create("t", "c", {}, (Seat("human"), Seat("bot", bot="ismcts")))
    assert refusal(MIGO.decide, MIGO.initial(), None, create, CHANCE).code == "unknown-bot"


def test_bots_find_the_move_that_wins() -> None:
    """The double rope takes the majority of ropes; the hat would leave it to the other."""
    state = table(side("E01a"), side("E13a"), lying="E02a E12a")
    rope, hat = state.table[:2]
    places = [-1] * len(state.table)
    places[5], places[10] = hat, rope
    seen = MIGO.observe(state._replace(dealt=tuple(places), lying=1 << 5 | 1 << 10), 0)
    for bot in ("greedy", "heuristic", "maxn-easy", "maxn", "net", "net-search"):
        assert MIGO.think(seen, bot, 1).move == MIGO.parse_move({"type": "take", "place": 10}), bot


def test_a_search_tells_its_considerations() -> None:
    """The most visited move first, as many iterations as it was given, and the same again."""
    seen = MIGO.observe(game(3), 0)
    choice = MIGO.think(seen, "maxn", 1, Budget(iterations=40, exact=True))
    assert choice.iterations == 40
    assert sum(one.visits for one in choice.considered) == 40
    assert {one.move for one in choice.considered} == set(seen.moves)
    assert all(0 <= one.win_probability <= 1 for one in choice.considered)
    assert MIGO.think(seen, "maxn", 2, Budget(iterations=40, exact=True)) == choice
    assert MIGO.think(seen, "maxn", 1, Budget(milliseconds=1), lambda: True).iterations == 1


def test_bots_without_chance_make_the_same_move_with_any_seed() -> None:
    """All bots but the one that moves at random make the same move with any seed."""
    assert {name for name, bot in MIGO.bots.items() if bot.chance} == {"random"}
    for state, seat in list(decisions(3, {}))[::9]:
        seen = MIGO.observe(state, seat)
        for name in ("greedy", "heuristic", "maxn-easy"):
            assert len({MIGO.think(seen, name, seed).move for seed in range(4)}) == 1


def test_the_heuristic_stops_when_it_is_told() -> None:
    """The heuristic then gives the best of what it has judged, which is at least one move."""
    seen, asked = MIGO.observe(game(4), 0), list[int]()

    def stop() -> bool:
        asked.append(len(asked))
        return len(asked) == 2

    assert MIGO.think(seen, "heuristic", 1, stop=stop).move in seen.moves[:2]
    assert len(asked) == 2
    assert MIGO.think(seen, "heuristic", 1, stop=lambda: True).move == seen.moves[0]


def test_chances_by_flags() -> None:
    """With one flag each the next round decides; a flag ahead in a duel wins three of four."""
    assert chances_by_flags((0, 0), 0, 1, (0, 1), 3) == (0.75, 0.25)
    assert chances_by_flags((1, 0), 1, 2, (0, 1), 3) == (0.5, 0.5)
    assert chances_by_flags((1, 0), 0, 2, (0, 1), 3) == (1.0, 0.0)
    assert chances_by_flags((1, 1, 1, 0), 3, 4, (0, 1, 2, 3), 4) == (0.0, 0.0, 0.0, 1.0)
    assert sum(chances_by_flags((0, 1, 0), 0, 2, (0, 2), 4)) == pytest.approx(1)
