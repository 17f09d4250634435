"""The documents of the API, as types. Generated from openapi.yaml by `make clients`: do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class Checks(TypedDict):
    store: Literal["ok", "down"]
    dispatcher: Literal["ok", "down"]
    workers: Literal["ok", "down"]
    remote: NotRequired[Literal["ok", "down"]]
    thinkers: NotRequired[Literal["ok", "down"]]
    archiver: NotRequired[Literal["ok", "down"]]
    webhooks: NotRequired[Literal["ok", "down"]]


class ReachedLimit(TypedDict):
    name: str
    quota: int
    window_seconds: NotRequired[int]
    begins_anew_at: NotRequired[str]


class Problem(TypedDict):
    type: str
    title: str
    status: int
    detail: str
    code: Literal[
        "bad-request",
        "malformed-json",
        "unauthorized",
        "forbidden",
        "foreign-origin",
        "not-found",
        "game-pruned",
        "method-not-allowed",
        "request-timeout",
        "not-your-turn",
        "game-not-started",
        "game-over",
        "time-is-up",
        "game-running",
        "no-analysis",
        "no-rematch",
        "rated-game",
        "nothing-to-take-back",
        "nothing-to-claim",
        "something-was-learnt",
        "no-more-takebacks",
        "seat-taken",
        "external-id-taken",
        "no-more-tokens",
        "already-waiting",
        "already-matched",
        "too-many-invites",
        "app-exists",
        "too-many-apps",
        "too-many-keys",
        "too-many-webhooks",
        "too-many-bots",
        "conflict",
        "game-ended",
        "events-expired",
        "version-mismatch",
        "precondition-failed",
        "too-large",
        "uri-too-long",
        "unsupported-media-type",
        "validation-error",
        "illegal-move",
        "within-a-move",
        "unknown-bot",
        "unknown-game",
        "idempotency-mismatch",
        "impossible-position",
        "bad-deck",
        "rate-limited",
        "headers-too-large",
        "internal-error",
        "bot-failed",
        "not-implemented",
        "store-unavailable",
        "busy",
        "queue-full",
        "no-answer",
        "not-ready",
    ]
    request_id: str
    rule: NotRequired[str]
    rule_url: NotRequired[str]
    version: NotRequired[int]
    errors: NotRequired[dict[str, list[str]]]
    to_act: NotRequired[int]
    learnt_by: NotRequired[str]
    deadline: NotRequired[str]
    missing: NotRequired[list[str]]
    extra: NotRequired[list[str]]
    checks: NotRequired[Checks]
    limit: NotRequired[ReachedLimit]
    scope: NotRequired[str]
    key_ids: NotRequired[list[str]]
    game_id: NotRequired[str]
    pruned_at: NotRequired[str]
    head: NotRequired[str]
    digest: NotRequired[str]


Metadata: TypeAlias = dict[str, str]


MetadataChange: TypeAlias = dict[str, str | None]


class Options(TypedDict):
    rules: NotRequired[Literal["digital", "opla"] | None]
    return_flight: NotRequired[bool | None]
    memory_aid: NotRequired[bool | None]
    first_seat: NotRequired[Literal[0, 1] | Literal["random"] | None]
    turn_limit: NotRequired[int | None]
    deck_list: NotRequired[str | dict[str, int] | None]
    claim_after: NotRequired[int | None]
    movement: NotRequired[str | None]
    sweep: NotRequired[str | None]
    turn_cap: NotRequired[int | None]
    flight_points: NotRequired[dict[str, Any] | None]


class A(TypedDict):
    kind: Literal["rope", "crampons", "ice_axe", "carabiner", "hat", "bottle", "sherpa"]
    count: int


class B(TypedDict):
    kind: Literal["rope", "crampons", "ice_axe", "carabiner", "hat", "bottle", "sherpa"]
    count: int


class CardTable(TypedDict):
    a: A
    b: B


class MigoOptions(TypedDict):
    layout_size: NotRequired[Literal["standard", "large"] | None]
    first_seat: NotRequired[Literal[0, 1, 2, 3] | Literal["random"] | None]
    round4_layout: NotRequired[Literal["ropes", "pyramid", "pyramids"] | None]
    turn_limit: NotRequired[int | None]
    card_table: NotRequired[str | dict[str, CardTable] | None]
    claim_after: NotRequired[int | None]


class HumanSeat(TypedDict):
    metadata: NotRequired[MetadataChange]
    kind: Literal["human"]
    player: NotRequired[str | None]
    client_seed: NotRequired[str | None]


class OpenSeat(TypedDict):
    metadata: NotRequired[MetadataChange]
    kind: Literal["open"]


class BudgetShape(TypedDict):
    iterations: NotRequired[int | None]
    milliseconds: NotRequired[int | None]


class BotSeat(TypedDict):
    metadata: NotRequired[MetadataChange]
    kind: Literal["bot"]
    bot: str
    budget: NotRequired[BudgetShape | None]


class RemoteSeat(TypedDict):
    metadata: NotRequired[MetadataChange]
    kind: Literal["remote"]
    url: str
    secret: NotRequired[str | None]
    player: NotRequired[str | None]


DeckItem: TypeAlias = str


class SetUp(TypedDict):
    deck: list[DeckItem]


RoundItem: TypeAlias = str


Round: TypeAlias = list[RoundItem]


class MigoSetUp(TypedDict):
    rounds: list[Round]


class PerMoveClock(TypedDict):
    when_up: NotRequired[Literal["forfeit", "bot", "replace"] | None]
    bot: NotRequired[str | None]
    kind: Literal["per-move"]
    seconds: int


class BankClock(TypedDict):
    when_up: NotRequired[Literal["forfeit", "bot", "replace"] | None]
    bot: NotRequired[str | None]
    kind: Literal["bank"]
    seconds: int
    increment: NotRequired[int | None]


class CorrespondenceClock(TypedDict):
    when_up: NotRequired[Literal["forfeit", "bot", "replace"] | None]
    bot: NotRequired[str | None]
    kind: Literal["correspondence"]
    days: int


Seats: TypeAlias = HumanSeat | OpenSeat | BotSeat | RemoteSeat


class NewGame(TypedDict):
    game: NotRequired[Literal["migrato", "migo"] | None]
    options: NotRequired[Options | MigoOptions | None]
    seats: NotRequired[list[Seats] | None]
    visibility: NotRequired[Literal["private", "public"] | None]
    joining: NotRequired[Literal["open", "invite", "app"] | None]
    setup: NotRequired[SetUp | MigoSetUp | None]
    clock: NotRequired[PerMoveClock | BankClock | CorrespondenceClock | None]
    external_id: NotRequired[str | None]
    metadata: NotRequired[MetadataChange]
    rated: NotRequired[bool | None]


class ResolvedOptions(TypedDict):
    rules: str
    movement: Literal["tail", "split_or_join"]
    sweep: Literal["seen_columns", "every_card"]
    return_flight: bool
    memory_aid: bool
    first_seat: Literal[0, 1] | Literal["random"]
    turn_limit: int | None
    turn_cap: int
    deck_list: dict[str, int]
    flight_points: dict[str, int]
    claim_after: NotRequired[int | None]


class SpentBudget(TypedDict):
    iterations: NotRequired[int]
    milliseconds: NotRequired[int]


class SeatInfo(TypedDict):
    seat: int
    kind: Literal["human", "open", "bot", "remote"]
    player: NotRequired[str | None]
    display_name: NotRequired[str]
    player_id: NotRequired[str]
    bot: NotRequired[str]
    bot_version: NotRequired[str]
    budget: NotRequired[SpentBudget]
    metadata: NotRequired[Metadata]


class NewSeat(SeatInfo):
    token: NotRequired[str]
    secret: NotRequired[str]


class Commitment(TypedDict):
    commitment: str


class Links(TypedDict):
    self: str
    moves: str
    legal_moves: str
    events: str


class ClockSetData(TypedDict):
    kind: Literal["per-move", "bank", "correspondence"]
    seconds: NotRequired[int]
    increment: NotRequired[int]
    days: NotRequired[int]
    when_up: Literal["forfeit", "bot", "replace"]
    bot: str | None


class GameClock(ClockSetData):
    time_class: Literal["rapid", "live", "correspondence", "none"]
    running_seat: int | None
    deadline: str | None
    remaining_ms: list[int]
    now: str


class GameSummary(TypedDict):
    id: str
    status: Literal["waiting", "playing", "finished"]
    rated: bool
    unrated_because: NotRequired[
        Literal[
            "setup",
            "aborted",
            "replaced",
            "no-app",
            "one-seat",
            "guest",
            "unnamed",
            "same-player",
            "unknown-version",
            "friendly",
            "arranged",
            "uncommon",
            "unmeasured-bot",
            "clock",
            "many-games",
            "card_table",
            "deck_list",
            "first_seat",
            "memory_aid",
            "turn_limit",
        ]
    ]
    setup: bool
    visibility: Literal["private", "public"]
    created_at: str
    external_id: NotRequired[str]
    metadata: NotRequired[Metadata]


class NewlyCreatedOfAnyGame(GameSummary):
    joining: NotRequired[Literal["invite", "app"]]
    updated_at: str
    version: int
    seats: list[NewSeat]
    fairness: Commitment
    links: Links
    clock: NotRequired[GameClock]


class NewlyCreated(NewlyCreatedOfAnyGame):
    game: Literal["migrato"]
    options: ResolvedOptions


class MigoFace(TypedDict):
    kind: Literal["rope", "crampons", "ice_axe", "carabiner", "hat", "bottle", "sherpa"]
    count: int


class MigoCardFaces(TypedDict):
    a: MigoFace
    b: MigoFace


class ResolvedMigoOptions(TypedDict):
    layout_size: Literal["standard", "large"]
    first_seat: Literal[0, 1, 2, 3] | Literal["random"]
    round4_layout: Literal["ropes", "pyramid", "pyramids"]
    turn_limit: int | None
    card_table: dict[str, MigoCardFaces]
    claim_after: NotRequired[int | None]


class MigoNewlyCreated(NewlyCreatedOfAnyGame):
    game: Literal["migo"]
    options: ResolvedMigoOptions


class Decision(TypedDict):
    version: int
    type: str
    data: dict[str, Any]


class LastMove(TypedDict):
    seat: int
    events: list[Decision]


class Result(TypedDict):
    winner: int | None
    places: list[int]
    reason: Literal["all_arrived", "turn_limit", "resigned", "timeout", "adjudicated", "claimed"]
    scores: list[int]
    scored: bool


class GameLineOfAnyGame(GameSummary):
    joining: NotRequired[Literal["invite", "app"]]
    seats: list[SeatInfo]
    version: NotRequired[int]
    updated_at: NotRequired[str]
    turn: NotRequired[int]
    to_act: NotRequired[int | None]
    last_move: NotRequired[LastMove | None]
    clock: NotRequired[GameClock]
    finished_at: NotRequired[str]
    rematch_of: NotRequired[str]
    aborted: NotRequired[Literal[True]]


class GameLine(GameLineOfAnyGame):
    game: Literal["migrato"]
    result: Result | None


class MigoResult(TypedDict):
    winner: int | None
    places: list[int]
    reason: Literal["two_flags", "round_four", "turn_limit", "resigned", "timeout", "adjudicated", "claimed"]
    scores: list[int]
    scored: bool
    flags: list[int]


class MigoGameLine(GameLineOfAnyGame):
    game: Literal["migo"]
    result: MigoResult | None


class Signature(TypedDict):
    key_id: str
    version: int
    head: str
    signature: str


class Fairness(TypedDict):
    commitment: str
    server_seed: str | None
    client_seeds: list[str | None]
    signature: Signature | None


class SeatDetailsOfAnyGame(SeatInfo):
    status: Literal["waiting", "playing", "finished"]
    version: int
    setup: bool
    fairness: Fairness
    links: Links
    clock: NotRequired[GameClock]
    head: str
    key_id: NotRequired[str | None]
    signature: NotRequired[str | None]


class SeatDetails(SeatDetailsOfAnyGame):
    game: Literal["migrato"]
    options: ResolvedOptions


class MigoSeatDetails(SeatDetailsOfAnyGame):
    game: Literal["migo"]
    options: ResolvedMigoOptions


class TakenSeat(TypedDict):
    player: str
    client_seed: NotRequired[str | None]
    invite: NotRequired[str | None]


class SeatWithToken(NewSeat):
    status: Literal["waiting", "playing", "finished"]
    version: int
    links: Links


class NewHolder(TypedDict):
    player: str


class SeatShown(SeatInfo):
    connected: NotRequired[bool]


class ColumnCard(TypedDict):
    face: str | None
    down: bool


class Column(TypedDict):
    slot: int
    cards: list[ColumnCard]


class Side(TypedDict):
    seat: int
    hand: list[str] | None
    hand_size: int
    score: int
    columns: list[Column]
    arrivals: dict[str, list[str]]
    return_flights: list[Literal["brant_goose", "black_kite", "stilt", "bee_eater", "teal"]]


class Table(TypedDict):
    phase: Literal["action", "discard"]
    deck: int
    discard_pile: list[str]
    players: list[Side]
    deck_cards: NotRequired[list[str]]


class Rating(TypedDict):
    mean: float
    deviation: float
    ordinal: float
    elo: int
    elo_deviation: int


class SeatRating(TypedDict):
    seat: int
    before: Rating
    after: Rating


class GameViewOfAnyGame(GameSummary):
    joining: NotRequired[Literal["invite", "app"]]
    updated_at: str
    finished_at: NotRequired[str]
    rematch_of: NotRequired[str]
    aborted: NotRequired[Literal[True]]
    version: int
    turn_version: int
    seats: list[SeatShown]
    viewer: int | None
    turn: int
    to_act: int | None
    last_move: LastMove | None
    fairness: Fairness
    clock: NotRequired[GameClock]
    ratings: NotRequired[list[SeatRating]]
    claimable_at: NotRequired[str | None]


class GameView(GameViewOfAnyGame):
    game: Literal["migrato"]
    state: Table | None
    result: Result | None
    options: ResolvedOptions


class MigoCard(TypedDict):
    card: str
    face: Literal["a", "b"]
    up: MigoFace
    down: MigoFace


class MigoTableCard(MigoCard):
    place: int
    free: bool


class MigoBottles(TypedDict):
    full: int
    empty: int


class MigoPlayer(TypedDict):
    seat: int
    flags: int
    score: int
    resigned: bool
    bottles: MigoBottles
    cards: list[MigoCard]


class MigoRound(TypedDict):
    round: int
    layout: Literal["ropes", "pyramid", "pyramids"]
    scores: list[int]
    winner: int


class MigoTable(TypedDict):
    phase: Literal["take"]
    round: int
    layout: Literal["ropes", "pyramid", "pyramids"]
    starter: int
    table: list[MigoTableCard]
    bottles: int
    players: list[MigoPlayer]
    rounds: list[MigoRound]


class MigoGameView(GameViewOfAnyGame):
    game: Literal["migo"]
    state: MigoTable | None
    result: MigoResult | None
    options: ResolvedMigoOptions


class SeatMetadataChange(TypedDict):
    seat: int
    metadata: MetadataChange


class ChangedGame(TypedDict):
    external_id: NotRequired[str | None]
    metadata: NotRequired[MetadataChange]
    seats: NotRequired[list[SeatMetadataChange] | None]


class SeatMetadata(TypedDict):
    seat: int
    metadata: Metadata


class GameOwnData(TypedDict):
    id: str
    external_id: str | None
    metadata: Metadata
    seats: list[SeatMetadata]


class Play(TypedDict):
    type: Literal["play"]
    card: str
    slot: NotRequired[int | None]
    on_arrival: NotRequired[Literal["settle", "return"] | None]
    discard: NotRequired[str | None]


MoveCards = TypedDict(
    "MoveCards",
    {
        "type": Literal["move_cards"],
        "from": int,
        "index": int,
        "to": NotRequired[int | None],
        "uncover": NotRequired[bool | None],
        "on_arrival": NotRequired[Literal["settle", "return"] | None],
        "discard": NotRequired[str | None],
    },
)


class Target(TypedDict):
    slot: NotRequired[int | None]
    pile: NotRequired[Literal["brant_goose", "black_kite", "stilt", "bee_eater", "teal"] | None]


class Danger(TypedDict):
    type: Literal["danger"]
    card: str
    target: Target
    discard: NotRequired[str | None]


class Discard(TypedDict):
    type: Literal["discard"]
    card: str


class Exchange(TypedDict):
    type: Literal["exchange"]


class Abandon(TypedDict):
    type: Literal["abandon"]
    slot: int


class Pass(TypedDict):
    type: Literal["pass"]


class Resign(TypedDict):
    type: Literal["resign"]


Move: TypeAlias = Play | MoveCards | Danger | Discard | Exchange | Abandon | Pass | Resign


class MigoTake(TypedDict):
    type: Literal["take"]
    place: int
    flip: NotRequired[str | None]
    drink: NotRequired[bool | None]


MigoMove: TypeAlias = MigoTake | Resign


class NoData(TypedDict):
    pass


class PreviewOfSeat(TypedDict):
    schema: int
    seat: int


class PreviewedPlayerResigned(PreviewOfSeat):
    type: Literal["player_resigned"]
    data: NoData


class BirdPlayedData(TypedDict):
    card: str | None
    slot: int


class PreviewedBirdPlayed(PreviewOfSeat):
    type: Literal["bird_played"]
    data: BirdPlayedData


CardsMovedData = TypedDict(
    "CardsMovedData",
    {
        "from": int,
        "index": int,
        "to": int,
        "uncover": bool,
    },
)


class PreviewedCardsMoved(PreviewOfSeat):
    type: Literal["cards_moved"]
    data: CardsMovedData


class StolenFrom(TypedDict):
    slot: NotRequired[int]
    pile: NotRequired[Literal["brant_goose", "black_kite", "stilt", "bee_eater", "teal"]]


class PreviewedDangerPlayedData(TypedDict):
    danger: str
    target: StolenFrom
    card: str | None


class PreviewedDangerPlayed(PreviewOfSeat):
    type: Literal["danger_played"]
    data: PreviewedDangerPlayedData


class ColumnUncoveredData(TypedDict):
    slot: int
    cards: list[str]


class BirdsArrivedData(ColumnUncoveredData):
    species: Literal["brant_goose", "black_kite", "stilt", "bee_eater", "teal"]


class PreviewedBirdsArrived(PreviewOfSeat):
    type: Literal["birds_arrived"]
    data: BirdsArrivedData


class PreviewedArrivalFailed(PreviewOfSeat):
    type: Literal["arrival_failed"]
    data: ColumnUncoveredData


class PreviewedReturnFlightTaken(PreviewOfSeat):
    type: Literal["return_flight_taken"]
    data: BirdsArrivedData


class PreviewedColumnDiscardedData(TypedDict):
    slot: int
    cards: list[str | None]
    places: list[int]
    abandoned: bool


class PreviewedColumnDiscarded(PreviewOfSeat):
    type: Literal["column_discarded"]
    data: PreviewedColumnDiscardedData


class CardDiscardedData(TypedDict):
    card: str


class PreviewedCardDiscarded(PreviewOfSeat):
    type: Literal["card_discarded"]
    data: CardDiscardedData


class HandExchangedData(TypedDict):
    cards: list[str]


class PreviewedHandExchanged(PreviewOfSeat):
    type: Literal["hand_exchanged"]
    data: HandExchangedData


class CardsDrawnData(TypedDict):
    cards: list[str] | None
    count: int


class PreviewedCardsDrawn(PreviewOfSeat):
    type: Literal["cards_drawn"]
    data: CardsDrawnData


class DeckReshuffledData(TypedDict):
    deck: list[str] | None
    count: int


class PreviewOfTable(TypedDict):
    schema: int
    seat: int | None


class PreviewedDeckReshuffled(PreviewOfTable):
    type: Literal["deck_reshuffled"]
    data: DeckReshuffledData


class PreviewedTurnPassed(PreviewOfSeat):
    type: Literal["turn_passed"]
    data: NoData


class GameScoredData(TypedDict):
    winner: int | None
    scores: list[int]


class GameEndedData(GameScoredData):
    reason: Literal["all_arrived", "turn_limit", "resigned", "timeout", "adjudicated", "claimed"]


class PreviewedGameEnded(PreviewOfTable):
    type: Literal["game_ended"]
    data: GameEndedData


PreviewedEvent: TypeAlias = (
    PreviewedPlayerResigned
    | PreviewedBirdPlayed
    | PreviewedCardsMoved
    | PreviewedDangerPlayed
    | PreviewedBirdsArrived
    | PreviewedArrivalFailed
    | PreviewedReturnFlightTaken
    | PreviewedColumnDiscarded
    | PreviewedCardDiscarded
    | PreviewedHandExchanged
    | PreviewedCardsDrawn
    | PreviewedDeckReshuffled
    | PreviewedTurnPassed
    | PreviewedGameEnded
)


class MigoCardTakenData(TypedDict):
    place: int
    card: str
    face: Literal["a", "b"]


class PreviewedMigoCardTaken(PreviewOfSeat):
    type: Literal["card_taken"]
    data: MigoCardTakenData


class PreviewedMigoBottleGained(PreviewOfSeat):
    type: Literal["bottle_gained"]
    data: NoData


class MigoSherpaDismissedData(TypedDict):
    card: str


class PreviewedMigoSherpaDismissed(PreviewOfSeat):
    type: Literal["sherpa_dismissed"]
    data: MigoSherpaDismissedData


class MigoCardFlippedData(TypedDict):
    card: str
    face: Literal["a", "b"]


class PreviewedMigoCardFlipped(PreviewOfSeat):
    type: Literal["card_flipped"]
    data: MigoCardFlippedData


class PreviewedMigoBottleDrunk(PreviewOfSeat):
    type: Literal["bottle_drunk"]
    data: NoData


class MigoRoundEndedData(TypedDict):
    round: int
    scores: list[int]
    winner: int


class PreviewedMigoRoundEnded(PreviewOfTable):
    type: Literal["round_ended"]
    data: MigoRoundEndedData


class MigoGameEndedData(TypedDict):
    places: list[int]
    reason: Literal["two_flags", "round_four", "turn_limit", "resigned", "timeout", "adjudicated", "claimed"]
    scores: list[int]
    flags: list[int]


class PreviewedMigoGameEnded(PreviewOfTable):
    type: Literal["game_ended"]
    data: MigoGameEndedData


MigoPreviewedEvent: TypeAlias = (
    PreviewedMigoCardTaken
    | PreviewedMigoBottleGained
    | PreviewedMigoSherpaDismissed
    | PreviewedMigoCardFlipped
    | PreviewedMigoBottleDrunk
    | PreviewedMigoRoundEnded
    | PreviewedPlayerResigned
    | PreviewedMigoGameEnded
)


class PreviewedMove(TypedDict):
    dry_run: bool
    version: int
    complete: bool
    events: list[PreviewedEvent | MigoPreviewedEvent]


class SeatTakenData(TypedDict):
    player: str
    client_seed: str | None


class RecordedEvent(TypedDict):
    version: int
    schema: int
    at: str
    commitment: str
    head: str
    sealed: NotRequired[dict[str, str]]
    salts: NotRequired[dict[str, str]]
    salt: NotRequired[str]
    notation: NotRequired[str]


class EventOfSeat(RecordedEvent):
    seat: int


class OpenEventOfSeat(EventOfSeat):
    redacted: list[str]


class SeatTaken(OpenEventOfSeat):
    type: Literal["seat_taken"]
    data: SeatTakenData


class HintGivenData(TypedDict):
    bot: str
    version: str
    budget: SpentBudget | None
    seed: str | None


class MoveChosenData(HintGivenData):
    fallback: (
        Literal[
            "failed",
            "overran",
            "unreachable",
            "timeout",
            "bad-answer",
            "illegal-move",
            "suspended",
            "time-up",
        ]
        | None
    )
    replaces: str | None


class MoveChosen(EventOfSeat):
    type: Literal["move_chosen"]
    data: MoveChosenData
    redacted: list[Literal["budget", "seed"]]


class HintGiven(EventOfSeat):
    type: Literal["hint_given"]
    data: HintGivenData
    redacted: list[Literal["budget", "seed"]]


class GameForkedData(TypedDict):
    version: int


class GameForked(OpenEventOfSeat):
    type: Literal["game_forked"]
    data: GameForkedData


class SeatTokenReissued(OpenEventOfSeat):
    type: Literal["seat_token_reissued"]
    data: NoData


class EventOfTable(RecordedEvent):
    seat: int | None


class OpenEventOfTable(EventOfTable):
    redacted: list[str]


class ClockSet(OpenEventOfTable):
    type: Literal["clock_set"]
    data: ClockSetData


class TurnTimedOutData(TypedDict):
    deadline: str
    when_up: Literal["forfeit", "bot", "replace"]


class TurnTimedOut(OpenEventOfSeat):
    type: Literal["turn_timed_out"]
    data: TurnTimedOutData


class ClockCreditedData(TypedDict):
    milliseconds: int
    until: str


class ClockCredited(OpenEventOfSeat):
    type: Literal["clock_credited"]
    data: ClockCreditedData


class AbortData(TypedDict):
    app: str
    reason: NotRequired[Literal["waiting", "silent"]]


class GameAborted(OpenEventOfTable):
    type: Literal["game_aborted"]
    data: AbortData


class AdjudicationData(TypedDict):
    app: str
    places: list[int]
    reason: NotRequired[Literal["silent"]]


class GameAdjudicated(OpenEventOfTable):
    type: Literal["game_adjudicated"]
    data: AdjudicationData


class ReplacementData(TypedDict):
    app: str
    bot: str


class PlayerReplaced(OpenEventOfSeat):
    type: Literal["player_replaced"]
    data: ReplacementData


class HandOverData(TypedDict):
    app: str | None
    player: str


class SeatHandedOver(OpenEventOfSeat):
    type: Literal["seat_handed_over"]
    data: HandOverData


class WinClaimedData(TypedDict):
    absent: int
    since: str


class WinClaimed(OpenEventOfSeat):
    type: Literal["win_claimed"]
    data: WinClaimedData


class TakebackRequestedData(TypedDict):
    to_version: int


class TakebackRequested(OpenEventOfSeat):
    type: Literal["takeback_requested"]
    data: TakebackRequestedData


class TakebackAnsweredData(TypedDict):
    agree: bool


class TakebackAnswered(OpenEventOfSeat):
    type: Literal["takeback_answered"]
    data: TakebackAnsweredData


class PlayerResigned(OpenEventOfSeat):
    type: Literal["player_resigned"]
    data: NoData


class RecordedSeat(TypedDict):
    kind: Literal["human", "open", "bot", "remote"]
    player: str | None
    bot: str | None
    version: NotRequired[str]
    shares: NotRequired[list[list[int]]]
    budget: NotRequired[SpentBudget]
    elo: NotRequired[int]
    client_seed: str | None


class Origin(TypedDict):
    game_id: str
    version: int
    head: str
    resampled: bool
    seat: int | None


class CreationData(TypedDict):
    id: str
    commitment: str
    seats: list[RecordedSeat]
    setup: bool
    origin: NotRequired[Origin]
    unrated_because: NotRequired[str]
    pairing: NotRequired[Literal["quick-match", "bots", "app"]]
    seals: NotRequired[int]


class GameCreatedData(CreationData):
    game: Literal["migrato"]
    options: ResolvedOptions
    deck: list[str] | None


class GameCreated(EventOfTable):
    type: Literal["game_created"]
    data: GameCreatedData
    redacted: list[Literal["deck"]]


class GameStartedData(TypedDict):
    first_seat: int
    deck: list[str] | None
    hands: list[list[str] | None]


class GameStarted(EventOfTable):
    type: Literal["game_started"]
    data: GameStartedData
    redacted: list[Literal["deck", "hands"]]


class PositionSetData(TypedDict):
    phase: Literal["action", "discard"]
    to_act: int
    turn: int
    shuffles: int
    deck: list[str] | None
    count: int
    discard_pile: list[str]
    hands: list[list[str] | None]
    hand_sizes: list[int]
    columns: list[list[Column]]
    arrivals: list[dict[str, list[str]]]
    landed: list[list[Literal["brant_goose", "black_kite", "stilt", "bee_eater", "teal"]]]
    return_flights: list[list[Literal["brant_goose", "black_kite", "stilt", "bee_eater", "teal"]]]


class PositionSet(EventOfTable):
    type: Literal["position_set"]
    data: PositionSetData
    redacted: list[Literal["columns", "deck", "hands"]]


class MovesTakenBackData(TypedDict):
    phase: Literal["action", "discard"]
    to_act: int
    turn: int
    shuffles: int
    deck: list[str] | None
    count: int
    discard_pile: list[str]
    hands: list[list[str] | None]
    hand_sizes: list[int]
    columns: list[list[Column]]
    arrivals: list[dict[str, list[str]]]
    landed: list[list[Literal["brant_goose", "black_kite", "stilt", "bee_eater", "teal"]]]
    return_flights: list[list[Literal["brant_goose", "black_kite", "stilt", "bee_eater", "teal"]]]
    to_version: int


class MovesTakenBack(EventOfSeat):
    type: Literal["moves_taken_back"]
    data: MovesTakenBackData
    redacted: list[Literal["columns", "deck", "hands"]]


class BirdPlayed(EventOfSeat):
    type: Literal["bird_played"]
    data: BirdPlayedData
    redacted: list[Literal["card"]]


class CardsMoved(OpenEventOfSeat):
    type: Literal["cards_moved"]
    data: CardsMovedData


class DangerPlayedData(TypedDict):
    danger: str
    target: StolenFrom
    card: str | None


class DangerPlayed(EventOfSeat):
    type: Literal["danger_played"]
    data: DangerPlayedData
    redacted: list[Literal["card"]]


class BirdsArrived(OpenEventOfSeat):
    type: Literal["birds_arrived"]
    data: BirdsArrivedData


class ArrivalFailed(OpenEventOfSeat):
    type: Literal["arrival_failed"]
    data: ColumnUncoveredData


class ReturnFlightTaken(OpenEventOfSeat):
    type: Literal["return_flight_taken"]
    data: BirdsArrivedData


class ColumnDiscardedData(TypedDict):
    slot: int
    cards: list[str]
    places: list[int]
    abandoned: bool


class ColumnDiscarded(OpenEventOfSeat):
    type: Literal["column_discarded"]
    data: ColumnDiscardedData


class CardDiscarded(OpenEventOfSeat):
    type: Literal["card_discarded"]
    data: CardDiscardedData


class HandExchanged(OpenEventOfSeat):
    type: Literal["hand_exchanged"]
    data: HandExchangedData


class CardsDrawn(EventOfSeat):
    type: Literal["cards_drawn"]
    data: CardsDrawnData
    redacted: list[Literal["cards"]]


class DeckReshuffled(EventOfTable):
    type: Literal["deck_reshuffled"]
    data: DeckReshuffledData
    redacted: list[Literal["deck"]]


class TurnPassed(OpenEventOfSeat):
    type: Literal["turn_passed"]
    data: NoData


class GameEnded(OpenEventOfTable):
    type: Literal["game_ended"]
    data: GameEndedData


class GameScored(OpenEventOfTable):
    type: Literal["game_scored"]
    data: GameScoredData


Event: TypeAlias = (
    SeatTaken
    | MoveChosen
    | HintGiven
    | GameForked
    | SeatTokenReissued
    | ClockSet
    | TurnTimedOut
    | ClockCredited
    | GameAborted
    | GameAdjudicated
    | PlayerReplaced
    | SeatHandedOver
    | WinClaimed
    | TakebackRequested
    | TakebackAnswered
    | PlayerResigned
    | GameCreated
    | GameStarted
    | PositionSet
    | MovesTakenBack
    | BirdPlayed
    | CardsMoved
    | DangerPlayed
    | BirdsArrived
    | ArrivalFailed
    | ReturnFlightTaken
    | ColumnDiscarded
    | CardDiscarded
    | HandExchanged
    | CardsDrawn
    | DeckReshuffled
    | TurnPassed
    | GameEnded
    | GameScored
)


class MigoGameCreatedData(CreationData):
    game: Literal["migo"]
    options: ResolvedMigoOptions
    rounds: list[list[str]] | None


class MigoGameCreated(EventOfTable):
    type: Literal["game_created"]
    data: MigoGameCreatedData
    redacted: list[Literal["rounds"]]


class MigoGameStartedData(TypedDict):
    first_seat: int


class MigoGameStarted(OpenEventOfTable):
    type: Literal["game_started"]
    data: MigoGameStartedData


class MigoStanding(TypedDict):
    cards: list[str]
    bottles: MigoBottles
    flags: int
    last_take: int


class MigoRoundResult(TypedDict):
    scores: list[int]
    winner: int


class MigoPositionSetData(TypedDict):
    to_act: int
    turn: int
    round: int
    starter: int
    table: list[str | None]
    discarded: list[str]
    boxed: list[str]
    players: list[MigoStanding]
    resigned: list[int]
    rounds: list[MigoRoundResult]
    prepared: list[list[str]] | None


class MigoPositionSet(EventOfTable):
    type: Literal["position_set"]
    data: MigoPositionSetData
    redacted: list[Literal["prepared"]]


class MigoMovesTakenBackData(MigoPositionSetData):
    to_version: int


class MigoMovesTakenBack(EventOfSeat):
    type: Literal["moves_taken_back"]
    data: MigoMovesTakenBackData
    redacted: list[Literal["prepared"]]


class MigoRoundStartedData(TypedDict):
    round: int
    layout: Literal["ropes", "pyramid", "pyramids"]
    starter: int
    cards: list[str]
    turned: list[str]
    boxed: list[str]


class MigoRoundStarted(OpenEventOfTable):
    type: Literal["round_started"]
    data: MigoRoundStartedData


class MigoCardTaken(OpenEventOfSeat):
    type: Literal["card_taken"]
    data: MigoCardTakenData


class MigoBottleGained(OpenEventOfSeat):
    type: Literal["bottle_gained"]
    data: NoData


class MigoSherpaDismissed(OpenEventOfSeat):
    type: Literal["sherpa_dismissed"]
    data: MigoSherpaDismissedData


class MigoCardFlipped(OpenEventOfSeat):
    type: Literal["card_flipped"]
    data: MigoCardFlippedData


class MigoBottleDrunk(OpenEventOfSeat):
    type: Literal["bottle_drunk"]
    data: NoData


class MigoRoundEnded(OpenEventOfTable):
    type: Literal["round_ended"]
    data: MigoRoundEndedData


class MigoGameEnded(OpenEventOfTable):
    type: Literal["game_ended"]
    data: MigoGameEndedData


class MigoGameScoredData(TypedDict):
    places: list[int]


class MigoGameScored(OpenEventOfTable):
    type: Literal["game_scored"]
    data: MigoGameScoredData


MigoEvent: TypeAlias = (
    SeatTaken
    | MoveChosen
    | HintGiven
    | GameForked
    | SeatTokenReissued
    | ClockSet
    | TurnTimedOut
    | ClockCredited
    | GameAborted
    | GameAdjudicated
    | PlayerReplaced
    | SeatHandedOver
    | WinClaimed
    | TakebackRequested
    | TakebackAnswered
    | MigoGameCreated
    | MigoGameStarted
    | MigoPositionSet
    | MigoMovesTakenBack
    | MigoRoundStarted
    | MigoCardTaken
    | MigoBottleGained
    | MigoSherpaDismissed
    | MigoCardFlipped
    | MigoBottleDrunk
    | MigoRoundEnded
    | PlayerResigned
    | MigoGameEnded
    | MigoGameScored
)


class InLanguages(TypedDict):
    en: NotRequired[list[str]]
    fr: NotRequired[list[str]]
    de: NotRequired[list[str]]
    it: NotRequired[list[str]]


class StreamNote(TypedDict):
    type: NotRequired[Literal["end", "heartbeat"]]
    seconds: NotRequired[float]


class StreamFrame(TypedDict):
    id: NotRequired[str]
    event: str
    data: str


class Reason(TypedDict):
    kind: Literal["wins", "denies", "risks"]
    code: str
    about: str | None
    change: float
    points: int | None
    text: str


class Swing(TypedDict):
    version: int
    seat: int
    change: float
    lost: float


class JobLinks(TypedDict):
    self: str


class AnalysisProgress(TypedDict):
    id: str
    status: Literal["waiting"]
    done: int
    of: int
    links: JobLinks


class LineChangeOfAnyGame(TypedDict):
    id: str
    status: NotRequired[Literal["waiting", "playing", "finished"]]
    rated: NotRequired[bool]
    unrated_because: NotRequired[
        Literal[
            "setup",
            "aborted",
            "replaced",
            "no-app",
            "one-seat",
            "guest",
            "unnamed",
            "same-player",
            "unknown-version",
            "friendly",
            "arranged",
            "uncommon",
            "unmeasured-bot",
            "clock",
            "many-games",
            "card_table",
            "deck_list",
            "first_seat",
            "memory_aid",
            "turn_limit",
        ]
        | None
    ]
    setup: NotRequired[bool]
    visibility: NotRequired[Literal["private", "public"]]
    created_at: NotRequired[str]
    external_id: NotRequired[str]
    metadata: NotRequired[Metadata]
    joining: NotRequired[Literal["invite", "app"]]
    seats: NotRequired[list[SeatInfo]]
    version: NotRequired[int]
    updated_at: NotRequired[str]
    turn: NotRequired[int]
    to_act: NotRequired[int | None]
    last_move: NotRequired[LastMove | None]
    clock: NotRequired[GameClock]
    finished_at: NotRequired[str]
    rematch_of: NotRequired[str]
    aborted: NotRequired[Literal[True]]


class LineChange(LineChangeOfAnyGame):
    game: Literal["migrato"]
    result: NotRequired[Result | None]


class MigoLineChange(LineChangeOfAnyGame):
    game: Literal["migo"]
    result: NotRequired[MigoResult | None]


class AppEventData(TypedDict):
    game_id: str
    game: Literal["migrato", "migo"]
    status: Literal["waiting", "playing", "finished"]
    seat: int | None
    version: int | None
    turn: int | None
    to_act: int | None
    external_id: NotRequired[str]
    metadata: NotRequired[Metadata]
    line: NotRequired[LineChange | MigoLineChange]
    ratings: NotRequired[list[SeatRating] | None]
    rematch_of: NotRequired[str]
    rematch: NotRequired[str]


class AppEvent(TypedDict):
    id: str
    type: Literal[
        "game.created",
        "seat.taken",
        "game.started",
        "game.finished",
        "game.scored",
        "game.aborted",
        "player.replaced",
        "seat.handed-over",
        "turn.timed-out",
        "clock.credited",
        "takeback.requested",
        "takeback.done",
        "game.rated",
        "takeback.agreed",
        "takeback.refused",
        "takeback.withdrawn",
        "rematch.requested",
        "rematch.agreed",
        "rematch.withdrawn",
        "rematch.expired",
        "rematch.begun",
        "turn.changed",
        "game.updated",
        "seat.connected",
        "seat.disconnected",
    ]
    timestamp: str
    data: AppEventData


class AppEventFrame(AppEvent):
    pass


class NewApp(TypedDict):
    name: str
    scopes: NotRequired[list[Literal["games:read", "games:write", "bots:choose", "webhooks", "admin"]] | None]
    expires_in: NotRequired[int | None]
    metadata: NotRequired[MetadataChange]


class AppKey(TypedDict):
    id: str
    created_at: str
    expires_at: str | None
    last_used_on: str | None


class AppQuota(TypedDict):
    day: NotRequired[int | None]
    month: NotRequired[int | None]


class AppQuotas(TypedDict):
    games: NotRequired[AppQuota | None]
    questions: NotRequired[AppQuota | None]


class AppLimits(TypedDict):
    games: NotRequired[int | None]
    forks: NotRequired[int | None]
    bots: NotRequired[int | None]
    records: NotRequired[int | None]


class AppDetails(TypedDict):
    name: str
    status: Literal["active", "expired", "revoked"]
    scopes: list[Literal["games:read", "games:write", "bots:choose", "webhooks", "admin"]]
    created_at: str
    keys: list[AppKey]
    metadata: NotRequired[Metadata]
    quotas: NotRequired[AppQuotas]
    limits: NotRequired[AppLimits]


class IssuedKey(TypedDict):
    app: AppDetails
    key_id: str
    key: str


class AppsPage(TypedDict):
    apps: list[AppDetails]
    next: str | None


class ChangedApp(TypedDict):
    metadata: NotRequired[MetadataChange]
    quotas: NotRequired[AppQuotas | None]
    limits: NotRequired[AppLimits | None]


class UsedBot(TypedDict):
    bot: str
    moves: int
    fallbacks: int
    hints: int
    questions: int
    thinking_ms: int


class Usage(TypedDict):
    date: NotRequired[str]
    games_created: int
    games_finished: int
    games_aborted: int
    moves_by_people: int
    moves_by_bots: int
    streams: int
    stream_seconds: int
    deliveries: int
    delivery_attempts: int
    bots: list[UsedBot]


class UsedQuota(TypedDict):
    name: str
    quota: int
    used: int
    begins_anew_at: str


UsageReport = TypedDict(
    "UsageReport",
    {
        "app": str,
        "from": str,
        "to": str,
        "days": list[Usage],
        "total": Usage,
        "quotas": list[UsedQuota],
    },
)


class KeyRotation(TypedDict):
    overlap: NotRequired[int | None]
    expires_in: NotRequired[int | None]


class PublicKey(TypedDict):
    kty: Literal["OKP"]
    crv: Literal["Ed25519"]
    x: str
    kid: str
    use: Literal["sig"]


class PublicKeys(TypedDict):
    keys: list[PublicKey]


class Head(TypedDict):
    game_id: str
    version: int
    head: str
    key_id: str | None
    signature: str | None


class Check(TypedDict):
    check: str
    status: Literal["passed", "failed", "partly", "not-checked"]
    count: int
    note: str | None


class Remark(TypedDict):
    about: Literal[
        "cut",
        "replaced",
        "people",
        "remote",
        "decisions",
        "tokens",
        "bots",
        "hints",
        "outages",
        "options",
        "client-seeds",
        "times",
        "signer",
    ]
    detail: str


class Finding(TypedDict):
    check: str
    version: int | None
    detail: str
    expected: str | None
    found: str | None


class Audit(TypedDict):
    game_id: str
    game: Literal["migrato", "migo"]
    version: int
    complete: bool
    passed: bool
    verdict: Literal["passed", "incomplete", "unscored", "failed"]
    checks: list[Check]
    remarks: list[Remark]
    wrong: Finding | None


class Strength(TypedDict):
    elo: int
    low: int
    high: int


class BotLine(TypedDict):
    name: str
    version: str
    versions: list[str]
    description: str
    games: list[str]
    rules: dict[str, list[str]]
    strength: Strength | None
    budget: SpentBudget | None
    milliseconds: int
    remembers: bool


class BotHealth(TypedDict):
    answered: int
    p50_ms: int | None
    p95_ms: int | None
    fallbacks: dict[str, int]


class Rated(TypedDict):
    rating: Rating
    games: int
    wins: int


class PlayerRating(Rated):
    game: Literal["migrato", "migo"]
    time_class: Literal["rapid", "live", "correspondence", "none"]
    rank: int | None


class OwnBotVersion(TypedDict):
    version: str
    url: str
    strength: str
    created_at: str
    retired: bool
    share: int
    health: BotHealth
    ratings: list[PlayerRating]


class OwnBot(TypedDict):
    name: str
    current: str | None
    former: str | None
    versions: list[OwnBotVersion]
    secret: NotRequired[str]


class BotCatalogue(TypedDict):
    bots: list[BotLine]
    own: list[OwnBot]


class PositionBudget(TypedDict):
    iterations: NotRequired[int | None]
    milliseconds: NotRequired[int | None]


class Position(TypedDict):
    game: NotRequired[Literal["migrato", "migo"] | None]
    view: dict[str, Any]
    history: NotRequired[list[dict[str, Any]] | None]
    legal_moves: NotRequired[list[dict[str, Any]] | None]
    deadline: NotRequired[str | None]
    budget: NotRequired[PositionBudget | None]
    seed: NotRequired[str | None]


class Positions(TypedDict):
    positions: list[Position]


class WaitingJob(TypedDict):
    id: str
    status: Literal["waiting"]
    expires_at: str
    links: JobLinks


class Health(TypedDict):
    status: Literal["ok"]
    version: str
    domain: Literal["compiled", "plain"]


class ServerFault(TypedDict):
    code: Literal[
        "store-evicts",
        "store-forgets",
        "store-full",
        "store-read-only",
        "store-unknown",
        "queue-evicts",
        "queue-full",
        "queue-unknown",
        "process-files",
    ]
    detail: str


class Readiness(TypedDict):
    status: Literal["ok", "degraded"]
    checks: Checks
    reasons: NotRequired[list[ServerFault]]


Place: TypeAlias = int


class Adjudication(TypedDict):
    winner: NotRequired[int | None]
    loser: NotRequired[int | None]
    places: NotRequired[list[Place] | None]


class Substitute(TypedDict):
    bot: str


class WantedInvite(TypedDict):
    expires_in: NotRequired[int | None]
    short: NotRequired[bool | None]


class InviteInfo(TypedDict):
    id: str
    seat: int
    expires_at: str


class NewInvite(InviteInfo):
    invite: str
    join_code: NotRequired[str]


class TypedJoinCode(TypedDict):
    code: str


class FoundInvite(TypedDict):
    game_id: str
    seat: int
    invite: str
    expires_at: str


class InviteList(TypedDict):
    invites: list[InviteInfo]


class LobbyGameOfAnyGame(GameSummary):
    seats: list[SeatInfo]
    joining: Literal["open", "invite", "app"]


class LobbyGame(LobbyGameOfAnyGame):
    game: Literal["migrato"]
    options: ResolvedOptions


class MigoLobbyGame(LobbyGameOfAnyGame):
    game: Literal["migo"]
    options: ResolvedMigoOptions


class RecentGames(TypedDict):
    game_ids: list[str]
    next: str | None


class PlayerLinks(TypedDict):
    self: str
    games: str


class Player(TypedDict):
    player_id: str
    player: str
    display_name: str | None
    created_at: str
    ratings: list[PlayerRating]
    recent_games: RecentGames
    links: PlayerLinks


class PlayersFound(TypedDict):
    players: list[Player]


class ChangedPlayer(TypedDict):
    display_name: str | None


class WantedMatch(TypedDict):
    player: str
    game: NotRequired[Literal["migrato", "migo"] | None]
    options: NotRequired[Options | MigoOptions | None]
    visibility: NotRequired[Literal["private", "public"] | None]
    clock: NotRequired[PerMoveClock | BankClock | CorrespondenceClock | None]
    client_seed: NotRequired[str | None]
    rating: NotRequired[float | None]
    range: NotRequired[float | None]
    bot: NotRequired[str | None]
    bot_after: NotRequired[int | None]


class Match(TypedDict):
    id: str
    seat: int
    token: str | None
    links: Links


class MatchTicket(TypedDict):
    ticket: str
    status: Literal["waiting", "matched", "cancelled"]
    created_at: str
    expires_at: str
    rating: float | None
    range: float | None
    match: Match | None


class LeaderboardEntry(Rated):
    rank: int
    kind: Literal["player", "bot"]
    player: NotRequired[str | None]
    display_name: NotRequired[str]
    player_id: NotRequired[str]
    bot: NotRequired[str]
    version: NotRequired[str]


class Leaderboard(TypedDict):
    game: Literal["migrato", "migo"]
    time_class: Literal["rapid", "live", "correspondence", "none"]
    time_classes: list[Literal["rapid", "live", "correspondence", "none"]]
    entries: list[LeaderboardEntry]
    next: str | None


class NewBotVersion(TypedDict):
    name: str
    url: str
    secret: NotRequired[str | None]
    strength: NotRequired[str | None]
    share: NotRequired[int | None]


class ChangedBot(TypedDict):
    current: NotRequired[int | None]
    shares: NotRequired[dict[str, Any] | None]
    retired: NotRequired[list[int] | None]
    removed: NotRequired[list[int] | None]


class SecretRotation(TypedDict):
    overlap: NotRequired[int | None]


class RotatedSecret(TypedDict):
    secret: str
    former_expires_at: str | None


class TriedPosition(TypedDict):
    game: NotRequired[Literal["migrato", "migo"] | None]
    view: NotRequired[dict[str, Any] | None]
    history: NotRequired[list[dict[str, Any]] | None]


class BotTrial(TypedDict):
    bot: str
    version: str
    milliseconds: int | None
    move: dict[str, Any] | None
    fallback: str | None
    wrong: list[str]


class RematchGame(TypedDict):
    id: str
    seat: int | None
    token: str | None
    expires_at: NotRequired[str]
    links: Links


class Rematch(TypedDict):
    rematch_of: str
    agreed: list[int]
    missing: list[int]
    match: RematchGame | None


Seats1: TypeAlias = HumanSeat | BotSeat | RemoteSeat


class NewFork(TypedDict):
    version: int
    seats: NotRequired[list[Seats1] | None]
    resample: NotRequired[bool | None]
    visibility: NotRequired[Literal["private", "public"] | None]


class NewlyForked(NewlyCreated):
    origin: Origin
    expires_at: NotRequired[str]


class MigoNewlyForked(MigoNewlyCreated):
    origin: Origin
    expires_at: NotRequired[str]


class TakebackWord(TypedDict):
    agree: NotRequired[bool | None]
    to_version: NotRequired[int | None]


class Takeback(TypedDict):
    version: int
    asked_by: int | None
    to_version: int | None
    agreed: list[int]
    missing: list[int]
    may_ask: bool
    refusal: str | None
    left: int


class WantedTicket(TypedDict):
    view: NotRequired[Literal["seat", "spectator"] | None]
    expires_in: NotRequired[int | None]


class NewTicket(TypedDict):
    ticket: str
    viewer: int | None
    expires_at: str
    stream: str


class WantedEmbedTicket(TypedDict):
    parent: str


class NewEmbedTicket(TypedDict):
    frame: str
    expires_at: str


class Redeemed(TypedDict):
    seat: int
    token: str


class NewWebhook(TypedDict):
    url: str
    types: NotRequired[
        list[
            Literal[
                "game.created",
                "seat.taken",
                "game.started",
                "game.finished",
                "game.scored",
                "game.aborted",
                "player.replaced",
                "seat.handed-over",
                "turn.timed-out",
                "clock.credited",
                "takeback.requested",
                "takeback.done",
                "game.rated",
                "takeback.agreed",
                "takeback.refused",
                "takeback.withdrawn",
                "rematch.requested",
                "rematch.agreed",
                "rematch.withdrawn",
                "rematch.expired",
                "rematch.begun",
                "turn.changed",
                "game.updated",
                "seat.connected",
                "seat.disconnected",
                "choice.done",
            ]
        ]
        | None
    ]
    description: NotRequired[str | None]
    game_id: NotRequired[str | None]
    seat_token: NotRequired[str | None]


class Webhook(TypedDict):
    id: str
    url: str
    types: list[str]
    description: str
    game_id: str | None
    seat: int | None
    created_at: str
    disabled: bool
    disabled_reason: Literal["app", "gone", "seat"] | None
    waiting: int
    dead: int


class CreatedWebhook(Webhook):
    secret: str


class WebhookList(TypedDict):
    webhooks: list[Webhook]


class ChangedWebhook(TypedDict):
    url: NotRequired[str | None]
    types: NotRequired[
        list[
            Literal[
                "game.created",
                "seat.taken",
                "game.started",
                "game.finished",
                "game.scored",
                "game.aborted",
                "player.replaced",
                "seat.handed-over",
                "turn.timed-out",
                "clock.credited",
                "takeback.requested",
                "takeback.done",
                "game.rated",
                "takeback.agreed",
                "takeback.refused",
                "takeback.withdrawn",
                "rematch.requested",
                "rematch.agreed",
                "rematch.withdrawn",
                "rematch.expired",
                "rematch.begun",
                "turn.changed",
                "game.updated",
                "seat.connected",
                "seat.disconnected",
                "choice.done",
            ]
        ]
        | None
    ]
    description: NotRequired[str | None]
    disabled: NotRequired[bool | None]


class PingSent(TypedDict):
    delivery_id: str


class WebhookDelivery(TypedDict):
    id: str
    type: Literal[
        "game.created",
        "seat.taken",
        "game.started",
        "game.finished",
        "game.scored",
        "game.aborted",
        "player.replaced",
        "seat.handed-over",
        "turn.timed-out",
        "clock.credited",
        "takeback.requested",
        "takeback.done",
        "game.rated",
        "takeback.agreed",
        "takeback.refused",
        "takeback.withdrawn",
        "rematch.requested",
        "rematch.agreed",
        "rematch.withdrawn",
        "rematch.expired",
        "rematch.begun",
        "turn.changed",
        "game.updated",
        "seat.connected",
        "seat.disconnected",
        "choice.done",
        "ping",
    ]
    timestamp: str
    game_id: str | None
    attempts: int
    response_status: int | None
    error: str | None


class WebhookDeliveriesPage(TypedDict):
    deliveries: list[WebhookDelivery]
    next: str | None


class Ping(TypedDict):
    id: str
    type: Literal["ping"]
    timestamp: str
    data: NoData


class DoneChoice(TypedDict):
    job: str
    expires_at: str
    links: JobLinks


class ChoiceDone(TypedDict):
    id: str
    type: Literal["choice.done"]
    timestamp: str
    data: DoneChoice


AnyNewlyCreated: TypeAlias = NewlyCreated | MigoNewlyCreated


AnySeatDetails: TypeAlias = SeatDetails | MigoSeatDetails


AnyGameView: TypeAlias = GameView | MigoGameView


AnyMove: TypeAlias = Move | MigoMove


AnyNewlyForked: TypeAlias = NewlyForked | MigoNewlyForked


AnyGameLine: TypeAlias = GameLine | MigoGameLine


AnyEvent: TypeAlias = Event | MigoEvent


AnyLobbyGame: TypeAlias = LobbyGame | MigoLobbyGame


class GamesPage(TypedDict):
    games: list[AnyGameLine]
    next: str | None


class PlayedMove(TypedDict):
    version: int
    head: str
    events: list[AnyEvent]
    notation: InLanguages
    game: AnyGameView


class LegalMoves(TypedDict):
    version: int
    turn_version: int
    seat: int
    moves: list[AnyMove]
    labels: InLanguages


class EventsPage(TypedDict):
    events: list[AnyEvent]
    next: int
    version: int


class StreamedState(TypedDict):
    type: Literal["state"]
    version: int
    after: int
    events: list[AnyEvent]
    notation: InLanguages
    view: AnyGameView
    legal_moves: list[AnyMove] | None
    labels: InLanguages | None


class JudgedMove(TypedDict):
    version: int
    position: int
    seat: int
    before: float
    after: float
    played: AnyMove
    better: AnyMove
    reasons: list[Reason]


class Analysis(TypedDict):
    id: str
    game: Literal["migrato", "migo"]
    status: Literal["done"]
    judge: str
    complete: bool
    points: list[JudgedMove]
    swings: list[Swing]


class WebhookMessageData(AppEventData):
    view: AnyGameView
    events: list[AnyEvent] | None
    notation: InLanguages | None


class WebhookMessage(TypedDict):
    id: str
    type: Literal[
        "game.created",
        "seat.taken",
        "game.started",
        "game.finished",
        "game.scored",
        "game.aborted",
        "player.replaced",
        "seat.handed-over",
        "turn.timed-out",
        "clock.credited",
        "takeback.requested",
        "takeback.done",
        "game.rated",
        "takeback.agreed",
        "takeback.refused",
        "takeback.withdrawn",
        "rematch.requested",
        "rematch.agreed",
        "rematch.withdrawn",
        "rematch.expired",
        "rematch.begun",
        "turn.changed",
        "game.updated",
        "seat.connected",
        "seat.disconnected",
    ]
    timestamp: str
    data: WebhookMessageData


class AppEventsPage(TypedDict):
    events: list[WebhookMessage | AppEvent]
    next: str


class ConsideredMove(TypedDict):
    move: AnyMove
    visits: int
    value: float
    win_probability: float
    spread: float | None
    reasons: list[Reason]


class Advice(TypedDict):
    bot: str
    version: str
    move: AnyMove
    considered: list[ConsideredMove]
    iterations: int


class ThoughtMove(Advice):
    milliseconds: int
    seed: str


class Answered(TypedDict):
    answer: ThoughtMove | None
    problem: Problem | None


class BotAnswers(TypedDict):
    answers: list[Answered]


class Hint(Advice):
    game_version: int
    seat: int
    recorded: bool


class LobbyPage(TypedDict):
    games: list[AnyLobbyGame]
    next: str | None


class Step(TypedDict):
    version: int
    at: str
    seat: int | None
    events: list[AnyEvent]
    view: AnyGameView


class ReplayPage(TypedDict):
    items: list[Step]
    next: int
    version: int


class RemoteAnswer(TypedDict):
    move: AnyMove


class RemoteQuestion(TypedDict):
    game: Literal["migrato", "migo"]
    view: AnyGameView
    history: list[AnyEvent]
    legal_moves: list[AnyMove]
    deadline: str
