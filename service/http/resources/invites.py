"""Invites: codes that let people take an open seat."""

from domain.lifecycle import Json
from events.errors import InviteNotFound
from events.features.invites.invites import Invite
from service.http.blueprint import Answer, ApiBlueprint
from service.http.request_context import admit, current_caller, guessing, use_cases
from service.http.request_parsing import checked, json_body, query
from service.http.responses import NO_STORE, VARY, Reply, answer, empty
from service.http.schemas.common.queries import NoQuery
from service.http.schemas.invites import FoundInvite, InviteList, NewInvite, TypedJoinCode, WantedInvite

invites = ApiBlueprint("Invites", "Codes that let people take an open seat.")

_WANTED, _TYPED, _NO_QUERY = WantedInvite(), TypedJoinCode(), NoQuery()
_PROBLEMS = ("not-found", "forbidden", "busy", "store-unavailable")


@invites.operation(
    "POST",
    "/v1/games/{game_id}/seats/{seat}/invites",
    summary="Invite to an open seat",
    body=_WANTED,
    body_required=False,
    answers={201: Answer("The invite, with its code.", {"application/json": NewInvite()})},
    problems=(*_PROBLEMS, "seat-taken", "game-over", "too-many-invites"),
)
def create_invite(game_id: str, seat: int) -> Reply:
    """The game's own app may ask; if no app keys are configured, the player of one of its seats may. The first caller
    who sends the code with a request for the seat sits down, even if the game is private. It is used up once anybody
    has taken the seat. A seat may have several invites, a game up to 100. The service stores only the hash
    of the code.
    """
    caller = current_caller(game_id)
    query(_NO_QUERY)
    wanted = checked(_WANTED, json_body(_WANTED, optional=True))
    made = use_cases().invites.create(game_id, seat, caller, wanted["expires_in"], short=wanted["short"])
    shown = {} if made.join_code is None else {"join_code": made.join_code}
    return answer({"invite": made.code} | shown | _document(made), 201, cache=NO_STORE)


@invites.operation(
    "POST",
    "/v1/invites/lookup",
    summary="Find an invite by its join code",
    body=_TYPED,
    answers={200: Answer("The invite, with its code.", {"application/json": FoundInvite()})},
    problems=("not-found", "store-unavailable"),
    limited="games",
)
def find_invite() -> Reply:
    """Returns the game, the seat and the invite of a join code: all that is needed to take the seat. A join code that
    is used, expired, revoked or made up gets 404; from one address only so many of these are answered in a minute.
    """
    caller = current_caller()
    admit("games", caller)
    query(_NO_QUERY)
    wanted = checked(_TYPED, json_body(_TYPED))
    with guessing(InviteNotFound):
        game_id, found = use_cases().invites.find(wanted["code"])
    document = {"game_id": game_id, "seat": found.seat, "invite": found.code, "expires_at": found.expires_at}
    return answer(document, cache=NO_STORE)


@invites.operation(
    "GET",
    "/v1/games/{game_id}/invites",
    summary="List invites",
    answers={200: Answer("The invites, without their codes.", {"application/json": InviteList()})},
    problems=_PROBLEMS,
)
def list_invites(game_id: str) -> Reply:
    """Lists the invites that are still good, the first to expire first. The callers who may create them may ask."""
    caller = current_caller(game_id)
    query(_NO_QUERY)
    found = use_cases().invites.listed(game_id, caller)
    return answer({"invites": [_document(one) for one in found]}, cache=NO_STORE)


@invites.operation(
    "DELETE",
    "/v1/games/{game_id}/invites/{invite_id}",
    summary="Revoke an invite",
    answers={204: Answer("The invite is void.", {})},
    problems=(*_PROBLEMS, "seat-taken"),
)
def revoke_invite(game_id: str, invite_id: str) -> Reply:
    """For callers who may create invites. After this response nobody can sit down by the invite. If the seat was taken
    before, the response is 409 `seat-taken`.
    """
    caller = current_caller(game_id)
    query(_NO_QUERY)
    use_cases().invites.revoke(game_id, invite_id, caller)
    return empty({"Cache-Control": NO_STORE, "Vary": VARY})


def _document(invite: Invite) -> Json:
    return {"id": invite.id, "seat": invite.seat, "expires_at": invite.expires_at}
