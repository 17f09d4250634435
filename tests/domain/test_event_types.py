"""Every type of event is somebody's decision, or else only follows from the event before it."""

import pytest

from domain.lifecycle import EventRecord
from domain.migrato.game import MIGRATO
from tests.domain.kinds import KINDS
from tests.domain.table import refusal

DECIDED = {
    "bird_played", "card_discarded", "cards_moved", "danger_played", "hand_exchanged", "turn_passed", "player_resigned",
    "game_created", "seat_taken", "game_scored", "move_chosen", "hint_given", "game_forked",
    "seat_token_reissued", "game_aborted", "game_adjudicated", "player_replaced", "seat_handed_over", "win_claimed",
    "takeback_requested", "takeback_answered", "moves_taken_back",
    "clock_set", "turn_timed_out", "clock_credited",
}  # fmt: skip
FOLLOWS = {
    "game_started", "position_set", "birds_arrived", "arrival_failed", "return_flight_taken", "cards_drawn",
    "deck_reshuffled", "game_ended",
}  # fmt: skip
EITHER = {"column_discarded"}  # by who gives a column up, or with the birds that others arrived with
BEFORE = EventRecord("turn_passed", 1, 0, {})


def test_every_type_is_sorted() -> None:
    """A new one has to be entered above, and where `follows` looks it up: no fork begins before what follows."""
    assert sorted([*DECIDED, *FOLLOWS, *EITHER]) == sorted(KINDS)


def test_types_are_named_as_they_are_stored(subtests: pytest.Subtests) -> None:
    """Such an event can be read, if only it had the data; what is read is written under the same name."""
    for kind in sorted(KINDS):
        with subtests.test(kind):
            try:
                read = MIGRATO.decode(EventRecord(kind, 1, 0, {}))
            except KeyError:  # it lacks a member
                pass
            else:
                assert MIGRATO.encode(read).type == kind
            assert refusal(MIGRATO.decode, EventRecord(f"{kind}_", 1, 0, {})).code == "unknown-event"


def test_some_events_follow_by_nobodys_decision() -> None:
    """Whatever the event holds. All follows that comes after a bot's choice: it is the move that was chosen."""
    for kind in KINDS - EITHER:
        assert MIGRATO.is_consequence(BEFORE, EventRecord(kind, 1, 0, {})) is (kind in FOLLOWS), kind
    for kind in KINDS:
        assert MIGRATO.is_consequence(EventRecord("move_chosen", 1, 0, {}), EventRecord(kind, 1, 0, {}))


@pytest.mark.parametrize("abandoned", [False, True])
def test_a_column_is_given_up_or_goes_with_others(abandoned: bool) -> None:
    """The event of a column that goes tells whether it was given up or went with others."""
    wire = EventRecord("column_discarded", 1, 0, {"abandoned": abandoned})
    assert MIGRATO.is_consequence(BEFORE, wire) is not abandoned
