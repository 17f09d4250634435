"""Deliveries and their times: order within games, pauses, receivers that are away, ends."""

import random
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from events.features.webhooks.deliveries import (
    FIRST_PAUSE,
    GIVEN_UP,
    LONGEST_PAUSE,
    Delivery,
    delivery_of,
    of_message,
    pause_after,
    ping,
)
from events.features.webhooks.event_types import LoggedMessage, Message
from events.features.webhooks.outbox import AT_ONCE, Outbox

NOW = 1_795_000_000.0


def delivery(number: int, game: str = "g", age: float = 0.0) -> Delivery:
    """A delivery of a game's message, logged so many seconds ago."""
    message = Message("turn.changed", "2026-11-22T10:00:00Z", game, number, {"game_id": game})
    return of_message(LoggedMessage(f"{int((NOW - age) * 1000)}-{number}", message))


def steady() -> Outbox:
    """One whose pauses are the usual ones."""
    return Outbox(lambda failures: pause_after(failures, lambda: 0.5))


def test_a_game_goes_in_order_and_games_beside_each_other() -> None:
    """Deliveries of one game go in order, whatever order they come in; games go beside each other."""
    box = steady()
    box.add([delivery(2), delivery(1), delivery(3, "h"), delivery(1)])
    assert len(box) == 3
    first = box.ready(NOW)
    assert [(one.lane, one.id[-1]) for one in first] == [("g", "1"), ("h", "3")]
    for one in first:
        box.begin(one)
    assert box.ready(NOW) == []
    box.arrived(first[0])
    assert [one.id[-1] for one in box.ready(NOW)] == ["2"]


def test_so_many_at_once_and_no_more() -> None:
    """One receiver gets so many attempts at once, and no more."""
    box = steady()
    box.add(delivery(number, f"game {number}") for number in range(20))
    first = box.ready(NOW)
    assert [one.lane for one in first] == [f"game {number}" for number in range(AT_ONCE)]
    box.begin(first[0])
    assert len(box.ready(NOW)) == AT_ONCE - 1


def test_an_absent_receiver_is_tried_by_one_at_a_time() -> None:
    """With growing pauses; once it answers, all go on."""
    box = steady()
    box.add(delivery(number, f"game {number}") for number in range(20))
    now, pauses = NOW, []
    for _ in range(12):
        (one, *others) = box.ready(now)
        assert bool(others) == (not box.is_down)
        box.begin(one)
        box.unreachable(one, None, "no answer", now)
        pauses.append(box.due_in(now))
        assert box.ready(now + pauses[-1] - 0.01) == []
        now += pauses[-1]
    assert pauses[:4] == [FIRST_PAUSE * 2**power for power in range(4)]
    assert pauses[-1] == LONGEST_PAUSE
    (one,) = box.ready(now)
    box = steady()
    box.add(delivery(number, f"game {number}") for number in range(20))
    box.unreachable(one, 503, "status 503", now, LONGEST_PAUSE)
    assert box.due_in(now) == LONGEST_PAUSE  # the receiver asks for no less
    (one,) = box.ready(now + box.due_in(now))
    box.begin(one)
    box.arrived(one)
    assert len(box.ready(now)) == AT_ONCE


def test_a_refused_delivery_holds_up_its_game_alone() -> None:
    """It is tried again after a pause."""
    box = steady()
    box.add([delivery(1), delivery(2), delivery(3, "h")])
    after = box.refused(delivery(1), 500, "status 500", NOW)
    assert (after.attempts, after.status, after.next) == (1, 500, NOW + FIRST_PAUSE)
    assert [one.lane for one in box.ready(NOW)] == ["h"]
    assert box.stuck() == after
    assert [one.id[-1] for one in box.ready(NOW + FIRST_PAUSE)] == ["1", "3"]


def test_a_ping_waits_for_no_pause_and_makes_none_longer() -> None:
    """One at a time while the receiver is away; what arrives ends the pause for all, and so does a change."""
    box, at = steady(), datetime.fromtimestamp(NOW, UTC)
    first, second = ping("ping-a", at), ping("ping-b", at)
    box.add([delivery(1), delivery(2, "h")])
    refused = box.refused(delivery(1), 500, "status 500", NOW)
    box.unreachable(delivery(2, "h"), None, "no answer", NOW)
    box.add([first, second])
    (one,) = box.ready(NOW)
    assert one.is_ping
    box.begin(one)
    assert box.ready(NOW) == []
    assert [one.lane for one in box.ready(NOW + FIRST_PAUSE)] == ["g"]
    box.unreachable(one, None, "no answer", NOW + 1.0)
    box.give_up(one)
    assert [one.lane for one in box.ready(NOW + FIRST_PAUSE) if not one.is_ping] == ["g"]
    box.try_now()
    assert [one.lane for one in box.ready(NOW) if not one.is_ping] == ["g"]
    (other,) = {first.id, second.id} - {one.id}
    box.arrived(first if other == first.id else second)
    assert [one.id for one in box.ready(NOW)] == [refused.id, delivery(2, "h").id]


def test_a_clock_that_is_set_changes_no_pause() -> None:
    """It does not end a delivery; a delivery that a wrong clock has noted is due by a right one."""
    for seconds in (7_200.0, 3 * 86_400.0, -7_200.0, -3 * 86_400.0):
        box = steady()
        box.add([delivery(1), delivery(2, "h"), delivery(3, "i")])
        box.refused(delivery(1), 500, "status 500", NOW)
        assert [one.lane for one in box.ready(NOW)] == ["h", "i"]
        box.clock_was_set(seconds)
        assert [one.lane for one in box.ready(NOW + seconds)] == ["h", "i"]
        assert [one.lane for one in box.ready(NOW + seconds + FIRST_PAUSE)] == ["g", "h", "i"]
        box.unreachable(delivery(2, "h"), None, "no answer", NOW + seconds)
        box.clock_was_set(-seconds)
        assert (box.ready(NOW), box.due_in(NOW), box.outdated(NOW)) == ([], FIRST_PAUSE, [])
    noted = delivery(1, age=-7_200.0).failed(500, "status 500", NOW + 7_200.0, FIRST_PAUSE)
    soon = delivery(2, "h").failed(500, "status 500", NOW, LONGEST_PAUSE)
    box = steady()
    box.add([noted, soon])
    assert (box.ready(NOW), box.due_in(NOW)) == ([noted], 0.0)
    assert box.refused(noted, 500, "status 500", NOW).begun == NOW  # and is given up a day later


def test_after_a_day_it_is_over() -> None:
    """For what has failed; and while the receiver is away for all that is so old, without further attempts."""
    assert not delivery(1).is_given_up(NOW)
    assert delivery(1, age=GIVEN_UP + 1).is_given_up(NOW)
    box = steady()
    old, new = [delivery(number, age=GIVEN_UP + 1) for number in (1, 2)], delivery(3)
    box.add([*old, new])
    assert box.outdated(NOW) == []
    box.begin(old[0])
    failed = box.unreachable(old[0], None, "no answer", NOW)
    assert box.outdated(NOW) == [failed, old[1]]
    for one in (failed, old[1]):
        box.give_up(one)
    assert len(box) == 1
    assert box.outdated(NOW) == []
    tried_once = ping("ping-a", datetime.fromtimestamp(NOW, UTC))  # and holds nothing up
    assert tried_once.is_given_up(NOW)
    box = steady()
    box.add([tried_once, delivery(1)])
    assert len(box.ready(NOW)) == 2


@given(st.integers(1, 200), st.floats(0, 1))
def test_pauses_keep_their_bounds(failures: int, chance: float) -> None:
    """Pauses keep their bounds after any number of failures."""
    pause = pause_after(failures, lambda: chance)
    assert 0.8 * FIRST_PAUSE - 0.001 <= pause <= 1.2 * LONGEST_PAUSE + 0.001


def test_a_kept_delivery_is_read_again() -> None:
    """A delivery, as it is after a failure."""
    failed = delivery(7).failed(503, "status 503", NOW, 10.0)
    assert delivery_of(failed.id, failed.record()) == failed


@given(st.randoms(use_true_random=False))
def test_each_game_arrives_in_order_through_everything(chance: random.Random) -> None:
    """Every delivery once, where the receiver fails now and then."""
    box, now, arrived = Outbox(lambda failures: pause_after(failures, chance.random)), NOW, list[Delivery]()
    everything = [delivery(number, f"game {number % 3}") for number in range(12)]
    box.add(everything)
    for _ in range(2000):
        if not len(box):
            break
        for one in box.ready(now):
            box.begin(one)
            match chance.choice(["arrives", "arrives", "refused", "away", "unknown"]):
                case "arrives":
                    box.arrived(one)
                    arrived.append(one)
                case "refused":
                    box.refused(one, 500, "", now)
                case "away":
                    box.unreachable(one, None, "", now)
                case _:
                    box.interrupted(one, now, 0.5)
        now += max(0.01, min(60.0, box.due_in(now)))
    assert sorted(one.id for one in arrived) == sorted(one.id for one in everything)
    for game in range(3):
        ids = [one.order for one in arrived if one.lane == f"game {game}"]
        assert ids == sorted(ids)
