"""Analyses: the moves of a finished game, judged."""

from service.http.blueprint import Answer, ApiBlueprint
from service.http.compression import compressed
from service.http.request_context import (
    admit,
    bot_questions,
    current_caller,
    seconds_to_wait,
    use_cases,
    while_waiting,
)
from service.http.request_parsing import query
from service.http.responses import NO_STORE, Reply, answer
from service.http.schemas.analyses import Analysis, AnalysisProgress, AnalysisQuery

analyses = ApiBlueprint("Analysis", "The moves of a finished game, judged.")

_QUERY = AnalysisQuery()
POLL_AFTER = "1"  # seconds


@analyses.operation(
    "GET",
    "/v1/games/{game_id}/analysis",
    summary="Analyse a game",
    query=_QUERY,
    answers={
        200: Answer("Every move, judged.", {"application/json": Analysis()}),
        202: Answer("The analysis so far.", {"application/json": AnalysisProgress()}, ("Retry-After",)),
    },
    problems=(
        "not-found",
        "game-running",
        "no-analysis",
        "queue-full",
        "no-answer",
        "bot-failed",
        "busy",
        "store-unavailable",
    ),
    limited="bots",
    foreign=True,
)
def analyse_game(game_id: str) -> Reply:
    """Everybody who may watch the game may ask, once it is over. Each move is judged by what its seat knew at that
    time, not by what everybody sees now. So the probabilities of the seats need not add up to 1. Until the analysis is
    done, the response is 202 and tells its progress. Ask again: work continues only while somebody asks. The analysis
    is kept for a day.
    """
    caller, wait = current_caller(game_id), seconds_to_wait(query(_QUERY))
    use_cases().views.open_game(game_id, caller)
    with while_waiting(caller):
        known = bot_questions().analysis(game_id, wait, admit=lambda: admit("bots", caller))
    if known.document is not None:
        return compressed(answer(known.document, cache="no-cache"))
    progress = {
        "id": game_id,
        "status": "waiting",
        "done": known.done,
        "of": known.of,
        "links": {"self": f"/v1/games/{game_id}/analysis"},
    }
    return answer(progress, 202, cache=NO_STORE, headers={"Retry-After": POLL_AFTER})
