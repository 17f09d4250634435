"""Words of the events, moves and results that every game may have; a game adds words for its own."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from domain.lifecycle import EventRecord, Json
from domain.words.languages import EMPTY, Said, Words

SEAT: Final[Words] = Words("seat {seat}", "place {seat}", "Platz {seat}", "posto {seat}")
AND: Final[Words] = Words(" and ", " et ", " und ", " e ")
WINNER: Final[Words] = Words(
    "seat {seat} wins", "place {seat} gagne", "Platz {seat} gewinnt", "vince il posto {seat}"
)
REASONS: Final = {  # for which any game may end; a game has reasons of its own, too
    "turn_limit": Words("turn_limit", "dernier tour joué", "letzter Zug gespielt", "ultimo turno giocato"),
    "resigned": Words("resigned", "abandon", "Aufgabe", "resa"),
    "timeout": Words("timeout", "temps écoulé", "Zeit um", "tempo scaduto"),
    "adjudicated": Words("adjudicated", "décision", "Entscheid", "decisione"),
    "claimed": Words("claimed", "victoire réclamée", "Sieg beansprucht", "vittoria reclamata"),
}

_CREATED: Final[Words] = Words(
    "game {id} created{more}",
    "partie {id} créée{more}",
    "Partie {id} angelegt{more}",
    "partita {id} creata{more}",
)
_TAKEN: Final[Words] = Words(
    "{who} is taken by {player}",
    "{who} : {player} s’assied",
    "{who}: {player} setzt sich",
    "{who}: si siede {player}",
)
STARTED: Final[Words] = Words(
    "the game starts with seat {first_seat}",
    "la partie commence, place {first_seat} débute",
    "die Partie beginnt mit Platz {first_seat}",
    "la partita comincia con il posto {first_seat}",
)
_GOES_ON: Final[Words] = Words(
    "the game goes on from turn {turn} of another{more}",
    "la partie continue depuis le tour {turn} d’une autre{more}",
    "die Partie geht von Zug {turn} einer anderen an weiter{more}",
    "la partita continua dal turno {turn} di un’altra{more}",
)
_TAKEN_BACK: Final[Words] = Words(
    "{who} takes its last move back: the table is as after event {to_version}",
    "{who} reprend son dernier coup : la table est comme après l’événement {to_version}",
    "{who} nimmt den letzten Zug zurück: Der Tisch ist wie nach Ereignis {to_version}",
    "{who} ritira l’ultima mossa: il tavolo è come dopo l’evento {to_version}",
)
RESIGN: Final[Words] = Words("resign", "abandonner", "aufgeben", "arrendersi")
_RESIGNED: Final[Words] = Words("{who} resigns", "{who} abandonne", "{who} gibt auf", "{who} si arrende")

_CHOSEN: Final[Words] = Words(
    "{who} chooses as {bot} {version}{thought}{instead}",
    "{who} choisit comme {bot} {version}{thought}{instead}",
    "{who} wählt als {bot} {version}{thought}{instead}",
    "{who} sceglie come {bot} {version}{thought}{instead}",
)
_THOUGHT: Final[Words] = Words(
    " after {iterations} iterations",
    " après {iterations} itérations",
    " nach {iterations} Durchläufen",
    " dopo {iterations} iterazioni",
)
_INSTEAD: Final[Words] = Words(
    " in place of {replaces} ({fallback})",
    " à la place de {replaces} ({fallback})",
    " anstelle von {replaces} ({fallback})",
    " al posto di {replaces} ({fallback})",
)
_HINT: Final[Words] = Words(
    "{who} takes a hint of {bot} {version}",
    "{who} prend un conseil de {bot} {version}",
    "{who} nimmt einen Tipp von {bot} {version}",
    "{who} prende un consiglio di {bot} {version}",
)
_FORKED: Final[Words] = Words(
    "{who} forks the game as it was after event {version}",
    "{who} dérive la partie telle qu’après l’événement {version}",
    "{who} zweigt die Partie ab, wie sie nach Ereignis {version} war",
    "{who} dirama la partita com’era dopo l’evento {version}",
)
_NEW_TOKEN: Final[Words] = Words(
    "{who} gets a new token",
    "{who} reçoit un nouveau jeton",
    "{who} bekommt einen neuen Token",
    "{who} riceve un nuovo token",
)

_CLOCK: Final[Words] = Words(
    "the game has a {kind} clock: {amounts}; when time is up: {when_up}",
    "la partie a une pendule {kind} : {amounts} ; temps écoulé : {when_up}",
    "die Partie hat eine Uhr {kind}: {amounts}; wenn die Zeit um ist: {when_up}",
    "la partita ha un orologio {kind}: {amounts}; a tempo scaduto: {when_up}",
)
_TIME_IS_UP: Final[Words] = Words(
    "{who} runs out of time: {when_up}",
    "{who} n’a plus de temps : {when_up}",
    "{who} hat keine Zeit mehr: {when_up}",
    "{who} ha finito il tempo: {when_up}",
)
_CREDITED: Final[Words] = Words(
    "{who} gets {milliseconds} ms back that an outage took",
    "{who} récupère {milliseconds} ms prises par une panne",
    "{who} bekommt {milliseconds} ms zurück, die ein Ausfall genommen hat",
    "{who} riottiene {milliseconds} ms persi per un guasto",
)

_ASKED: Final[Words] = Words(
    "{who} asks to take its last move back, to event {to_version}",
    "{who} demande à reprendre son dernier coup, jusqu’à l’événement {to_version}",
    "{who} möchte den letzten Zug zurücknehmen, bis Ereignis {to_version}",
    "{who} chiede di ritirare l’ultima mossa, fino all’evento {to_version}",
)
_AGREES: Final[Words] = Words("{who} agrees", "{who} accepte", "{who} stimmt zu", "{who} accetta")
_REFUSES: Final[Words] = Words("{who} refuses", "{who} refuse", "{who} lehnt ab", "{who} rifiuta")

_UNTAKEN: Final[Words] = Words(
    "the game is aborted: its seats are not taken",
    "la partie est annulée : ses places ne sont pas prises",
    "die Partie wird abgebrochen: Ihre Plätze bleiben leer",
    "la partita è annullata: i suoi posti restano liberi",
)
_SILENT: Final[Words] = Words(
    "the game is aborted: nobody moves",
    "la partie est annulée : personne ne joue",
    "die Partie wird abgebrochen: Niemand zieht",
    "la partita è annullata: nessuno muove",
)
_ABORTED: Final[Words] = Words(
    "app {app} aborts the game",
    "l’application {app} annule la partie",
    "die App {app} bricht die Partie ab",
    "l’app {app} annulla la partita",
)
_SILENTLY_ADJUDICATED: Final[Words] = Words(
    "the game is adjudicated, for nobody moves: places {places}",
    "la partie est jugée, car personne ne joue : rangs {places}",
    "die Partie wird gewertet, denn niemand zieht: Ränge {places}",
    "la partita è aggiudicata, perché nessuno muove: posizioni {places}",
)
_ADJUDICATED: Final[Words] = Words(
    "app {app} adjudicates the game: places {places}",
    "l’application {app} juge la partie : rangs {places}",
    "die App {app} wertet die Partie: Ränge {places}",
    "l’app {app} aggiudica la partita: posizioni {places}",
)
_REPLACED: Final[Words] = Words(
    "app {app} puts the bot {bot} in the place of {who}",
    "l’application {app} met le robot {bot} à la {who}",
    "die App {app} setzt den Bot {bot} auf {who}",
    "l’app {app} mette il bot {bot} al {who}",
)
_HANDED_OVER: Final[Words] = Words(
    "{by} hands {who} over to {player}",
    "{by} cède la {who} à {player}",
    "{by} übergibt {who} an {player}",
    "{by} cede il {who} a {player}",
)
_CLAIMED: Final[Words] = Words(
    "{who} claims the win: seat {absent} is away since {since}",
    "{who} réclame la victoire : la place {absent} est absente depuis {since}",
    "{who} beansprucht den Sieg: Platz {absent} ist seit {since} weg",
    "{who} reclama la vittoria: il posto {absent} è assente da {since}",
)
_BY_APP: Final[Words] = Words("app {app}", "l’application {app}", "die App {app}", "l’app {app}")


def seat(number: int | None) -> Said:
    """A seat by its number."""
    return EMPTY if number is None else Said(SEAT, {"seat": number})


def reason(code: str, own: Mapping[str, Words]) -> Said | str:
    """The reason for which a game ended, `own` being those of that game alone; an unknown one by its code."""
    words = own.get(code) or REASONS.get(code)
    return code if words is None else Said(words)


def created(data: Json, more: Said = EMPTY) -> Said:
    """The creation of a game; `more`: what the game says of itself."""
    return Said(_CREATED, {"id": data["id"], "more": more})


def goes_on(data: Json, more: Said = EMPTY) -> Said:
    """The beginning of a fork; `more`: what the game says of the position."""
    return Said(_GOES_ON, {"turn": data["turn"], "more": more})


def said(record: EventRecord) -> Said | None:
    """The event in words, of which hidden parts are left out; None if it is the game's own."""
    words = _SAID.get(record.type)
    if words is None:
        return None
    if isinstance(words, Words):
        return Said(words, {**record.data, "who": seat(record.seat)})
    return words(record.data, seat(record.seat))


def _chosen(data: Json, who: Said) -> Said:
    thought, instead = EMPTY, EMPTY
    if data["budget"]:
        thought = Said(_THOUGHT, {"iterations": data["budget"]["iterations"]})
    if data["fallback"]:
        instead = Said(_INSTEAD, data)
    how = {"thought": thought, "instead": instead}
    return Said(_CHOSEN, {"who": who, "bot": data["bot"], "version": data["version"], **how})


def _clock(data: Json, _: Said) -> Said:
    amounts = ", ".join([f"{name} {data[name]}" for name in ("seconds", "increment", "days") if name in data])
    return Said(_CLOCK, {"kind": data["kind"], "amounts": amounts, "when_up": data["when_up"]})


def _aborted(data: Json, _: Said) -> Said:
    if "reason" in data:
        return Said(_UNTAKEN if data["reason"] == "waiting" else _SILENT)
    return Said(_ABORTED, data)


def _adjudicated(data: Json, _: Said) -> Said:
    places = {"places": ", ".join(map(str, data["places"]))}
    return Said(_SILENTLY_ADJUDICATED if "reason" in data else _ADJUDICATED, {**data, **places})


def _handed_over(data: Json, who: Said) -> Said:
    by = who if data["app"] is None else Said(_BY_APP, data)
    return Said(_HANDED_OVER, {"by": by, "who": who, "player": data["player"]})


# Those that are the same in every game. The values of plain words are the event's data, and its seat as `who`.
_SAID: Final[dict[str, Words | Callable[[Any, Said], Said]]] = {
    "move_chosen": _chosen,
    "hint_given": _HINT,
    "game_forked": _FORKED,
    "seat_token_reissued": _NEW_TOKEN,
    "clock_set": _clock,
    "turn_timed_out": _TIME_IS_UP,
    "clock_credited": _CREDITED,
    "takeback_requested": _ASKED,
    "takeback_answered": lambda data, who: Said(_AGREES if data["agree"] else _REFUSES, {"who": who}),
    "game_aborted": _aborted,
    "game_adjudicated": _adjudicated,
    "player_replaced": _REPLACED,
    "seat_handed_over": _handed_over,
    "win_claimed": _CLAIMED,
    "seat_taken": _TAKEN,
    "moves_taken_back": _TAKEN_BACK,
    "player_resigned": _RESIGNED,
}
