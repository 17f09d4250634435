"""Text for the person at the terminal: "you" and names, for every event."""

from pathlib import Path

import pytest

from domain.lifecycle import EventRecord
from service.cli.terminal import left_games
from service.cli.terminal.left_games import LeftGame
from service.cli.terminal.wording import names_of, second_person, told

SEATS = [{"player": "ada"}, {"bot": "greedy"}, {"bot": "greedy"}, {}]


def test_names() -> None:
    """A name that several share is counted; nobody else is called you."""
    assert names_of(SEATS, 0) == ["you", "greedy 1", "greedy 2", "a free seat"]
    assert names_of([{"player": "You"}, {"bot": "greedy"}], 1) == ["You (another one)", "you"]


def test_a_hint() -> None:
    """A hint is told without the bot's version."""
    hint = EventRecord("hint_given", 1, 0, {"bot": "ismcts", "version": "1"})
    assert told(hint, "seat 0 takes a hint of ismcts 1", ["you", "bo"], 0) == "you asked ismcts for a hint"


@pytest.mark.parametrize(
    ("seat", "notation", "text"),
    [
        (0, "seat 0 plays G5d to column 2", "you play G5d to column 2"),
        (1, "seat 1 plays G5d to column 2", "bo plays G5d to column 2"),
        (0, "seat 0 passes", "you pass"),
        (0, "seat 0 dismisses the sherpa of E22", "you dismiss the sherpa of E22"),
        (0, "seat 0 exchanges G5d T1d HUN", "you exchange G5d T1d HUN"),
        (0, "seat 0 loses T1d of column 3", "you lose T1d of column 3"),
        (0, "seat 0 gets a new token", "you get a new token"),
        (0, "seat 0 asks to take its last move back, to event 4", "you ask to take your last move back, to event 4"),
        (1, "seat 1 asks to take its last move back, to event 4", "bo asks to take its last move back, to event 4"),
        (None, "the game starts with seat 0", "the game starts with you"),
        (None, "the game ends (resigned): seat 0 wins, 3 : 4", "the game ends (resigned): you win, 3 : 4"),
        (None, "the game ends (resigned): seat 1 wins, 3 : 4", "the game ends (resigned): bo wins, 3 : 4"),
        (None, "round 1 ends, 9 : 8: seat 0 takes a flag", "round 1 ends, 9 : 8: you take a flag"),
        (None, "the result is confirmed: seats 0 and 1 share the first place",
         "the result is confirmed: you and bo share the first place"),
        (1, "app x puts the bot greedy in the place of seat 1", "app x puts the bot greedy in the place of bo"),
    ],
)  # fmt: skip
def test_sentences(seat: int | None, notation: str, text: str) -> None:
    assert told(EventRecord("any", 1, seat, {}), notation, ["you", "bo"], 0) == text


def test_a_player_who_sits_down_is_no_you() -> None:
    """The name is the player's own."""
    taken = EventRecord("seat_taken", 1, 1, {"player": "seat 0", "client_seed": None})
    assert told(taken, "seat 1 is taken by seat 0", ["you", "bo"], 0) == "seat 0 sits down"
    handed = EventRecord("seat_handed_over", 1, 1, {"player": "zoe", "app": None})
    assert told(handed, "", ["you", "bo"], 0) == "zoe plays from now on for bo"


def test_verbs() -> None:
    assert [second_person(verb) for verb in ("is", "passes", "plays", "loses", "turns", "reaches")] == [
        "are", "pass", "play", "lose", "turn", "reach",
    ]  # fmt: skip


def test_games_that_were_left(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The last one first, each once, in a file that nobody else can read; a broken file is as none."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert left_games.all_left() == []
    one, other = LeftGame("http://a", "mg_1_0_x"), LeftGame("http://b", "mg_2_0_y")
    assert left_games.keep(one)
    assert left_games.keep(other)
    assert left_games.keep(one)
    assert left_games.all_left() == [one, other]
    assert left_games.path().stat().st_mode & 0o777 == 0o600
    left_games.forget(one.token)
    assert left_games.all_left() == [other]
    left_games.path().write_text("[{}]")
    assert left_games.all_left() == []
    monkeypatch.setenv("XDG_STATE_HOME", "/proc/nowhere")
    assert not left_games.keep(one)
