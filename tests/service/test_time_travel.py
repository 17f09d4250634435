"""`?version=N` and `?seat=S`: a look back shows what was seen then, and the eyes of others only when all is over."""

from itertools import product

from tests.service.table import FIRST_MOVE, SECOND_MOVE, Table, code_of, json_of

VIEWERS = (None, 0, 1)
MOVES = [
    (0, FIRST_MOVE),
    (1, SECOND_MOVE),
    (0, {"type": "play", "card": "G4n", "slot": 1}),
    (0, {"type": "discard", "card": "K4d"}),
    (1, {"type": "exchange"}),
]


def asked(version: int) -> list[tuple[str, tuple[int | None, ...]]]:
    """Every view there is of a version, and who may ask for it."""
    return [
        (f"?version={version}", VIEWERS),
        (f"/legal-moves?version={version}", (0, 1)),
        (f"/events?version={version}", VIEWERS),
    ]


def without_presence(view: bytes) -> bytes:
    """A present view without what only the present has: whether somebody is connected."""
    return view.replace(b',"connected":false', b"")


def test_a_look_back_is_to_the_byte_what_was_seen_then(public: Table) -> None:
    """Each view at the time, and again when the game has gone on and is over; nothing more is shown."""
    then: dict[tuple[str, int | None], bytes] = {}
    for seat, move in MOVES:
        version = len(public.log())
        for what, viewers in asked(version):
            for viewer in viewers:
                now = without_presence(public.get(what.partition("?")[0], viewer).data)
                then[what, viewer] = now
                assert public.get(what, viewer).data == now
        answer = public.move(seat, move)
        assert answer.status_code == 201, answer.text
    public.finish()
    for (what, viewer), data in then.items():
        assert public.get(what, viewer).data == data, (what, viewer)
        assert b'"server_seed":"' not in data


def test_a_finished_game_is_watched_from_every_seat(public: Table) -> None:
    """With that seat's eyes at any version, or with all at once."""
    own = {seat: json_of(public.get("?version=2", seat)) for seat in (0, 1)}
    moves = json_of(public.get("/legal-moves", 0))
    public.move(0, {"type": "resign"})
    for seat in (0, 1):
        assert json_of(public.get(f"?version=2&seat={seat}")) == own[seat]
    assert json_of(public.get("/legal-moves?version=2&seat=0")) == moves
    everything = json_of(public.get("?version=2&seat=all"))
    hands = [side["hand"] for side in everything["state"]["players"]]
    assert hands == [own[seat]["state"]["players"][seat]["hand"] for seat in (0, 1)]
    assert len(everything["state"]["deck_cards"]) == 48
    events = json_of(public.get("/events?version=2&seat=all"))["events"]
    assert all(event["redacted"] == [] for event in events)


def test_other_eyes_while_the_game_runs_are_refused(public: Table) -> None:
    """To spectators, to the opponent, for what is past too; the own ones are not."""
    public.move(0, FIRST_MOVE)
    for what, seat, viewer in product(("", "/events", "/legal-moves"), (0, 1, "all"), VIEWERS):
        if (what, seat) == ("/legal-moves", "all"):
            continue
        for query in (f"?seat={seat}", f"?seat={seat}&version=2"):
            answer = public.get(what + query, viewer)
            if viewer == seat:
                assert answer.status_code == 200
            else:
                assert code_of(answer) == (403, "forbidden")


def test_versions_and_eyes_that_are_not_there(table: Table) -> None:
    """A version before the first or after the last names the last one; a seat must be one, for all there are none."""
    assert code_of(table.get("/events?after=3", 0)) == (404, "not-found")
    for what in ("?", "/legal-moves?seat=0&", "/events?", "/head?"):
        for version in (0, 3, 10**9):
            answer = table.get(f"{what}version={version}", 0)
            assert code_of(answer) == (404, "not-found")
            assert json_of(answer)["detail"] == f"The game has no version {version}; its versions are 1 to 2."
            assert json_of(answer)["version"] == 2
    for query in ("?seat=2", "?seat=-1", "?seat=", "?seat=ada", "?seat=0&seat=1", "/legal-moves?seat=all"):
        assert code_of(table.get(query, 0)) == (422, "validation-error")
    stream = table.get("/events?version=2", 0, Accept="text/event-stream")
    assert code_of(stream) == (422, "validation-error")
    table.move(0, {"type": "resign"})
    for what in (
        "?seat=0",
        "?seat=all&version=2",
        "/legal-moves?seat=0",
    ):  # of a private game, for a stranger
        assert code_of(table.get(what)) == (404, "not-found")


def test_entity_tags_tell_eyes_and_versions_apart(public: Table) -> None:
    """Each tag can be asked with; the link to the next version keeps version and seat."""
    public.move(0, {"type": "resign"})
    asked = [f"?version={v}{eyes}" for v in (1, 2, 3) for eyes in ("", "&seat=0", "&seat=1", "&seat=all")]
    tags = [public.get(what).headers["ETag"] for what in asked]
    assert len(set(tags)) == len(asked)
    assert tags[0] == '"1"'
    for what, tag in zip(asked, tags, strict=True):
        others = ", ".join(f"W/{other}" for other in tags if other != tag)
        assert public.get(what, If_None_Match=others).status_code == 200
        assert public.get(what, If_None_Match=f"{others}, W/{tag}").status_code == 304
    answer = public.get("/events?version=2&seat=1&limit=1", Accept="application/x-ndjson")
    assert answer.headers["Link"].startswith(f"<{public.path}/events?after=1&version=2&seat=1>")
