"""Apps: created, listed, given new keys and revoked, with a key of the scope `admin`."""

import logging
from typing import Final, cast

from events.features.apps.administration import AppChange
from events.features.apps.documents import app_document, issued_document
from events.features.apps.scopes import ADMIN, USUAL
from service.http.blueprint import Answer, ApiBlueprint
from service.http.request_context import administering_app, reader_of_app, use_cases
from service.http.request_parsing import checked, json_body, query
from service.http.responses import NO_STORE, VARY, Reply, answer, empty
from service.http.schemas import apps as shapes
from service.http.schemas.apps import AppsQuery, ChangedApp, KeyRotation, NewApp
from service.http.schemas.common.queries import NoQuery
from service.http.schemas.usage import UsageQuery, UsageReport

log = logging.getLogger("migrato.apps")

apps = ApiBlueprint("Apps", "The apps of this installation and their keys, for administrators.")

_NEW_APP, _CHANGED, _ROTATION, _QUERY, _USAGE_QUERY, _NO_QUERY = (
    NewApp(),
    ChangedApp(),
    KeyRotation(),
    AppsQuery(),
    UsageQuery(),
    NoQuery(),
)
_PROBLEMS: Final = ("unauthorized", "forbidden", "store-unavailable")


@apps.operation(
    "POST",
    "/v1/apps",
    summary="Create an app",
    body=_NEW_APP,
    token="required",
    answers={201: Answer("The app, with its key.", {"application/json": shapes.IssuedKey()}, ("Location",))},
    problems=(*_PROBLEMS, "app-exists", "too-many-apps"),
    scope=ADMIN,
)
def create_app() -> Reply:
    """Only this response contains the key; the engine stores its SHA-256. Every process knows the key within 2
    seconds. A name is never given away again, for an app's games belong to its name. The first app, and so the first
    administrator, is created by `migrato apps create NAME --scope admin`.
    """
    admin = administering_app()
    query(_NO_QUERY)
    wanted = checked(_NEW_APP, json_body(_NEW_APP))
    issued = use_cases().apps.create(
        wanted["name"], wanted.get("scopes", USUAL), wanted.get("expires_in"), wanted.get("metadata")
    )
    scopes = " ".join(issued.found.app.scopes)
    log.info("%s made the app %s for %s, with the key %s", admin.app, wanted["name"], scopes, issued.id)
    return answer(
        issued_document(issued), 201, cache=NO_STORE, headers={"Location": f"/v1/apps/{wanted['name']}"}
    )


@apps.operation(
    "GET",
    "/v1/apps",
    summary="List the apps",
    query=_QUERY,
    token="required",
    answers={200: Answer("A page of apps.", {"application/json": shapes.AppsPage()})},
    problems=_PROBLEMS,
    scope=ADMIN,
)
def list_apps() -> Reply:
    """The apps, without those in the setting MIGRATO_APP_KEYS. No response shows a key again."""
    administering_app()
    wanted = query(_QUERY)
    found, following = use_cases().apps.page(wanted.get("cursor", ""), wanted["limit"])
    return answer({"apps": [app_document(app) for app in found], "next": following}, cache=NO_STORE)


@apps.operation(
    "GET",
    "/v1/apps/{name}",
    summary="Get an app",
    token="required",
    answers={200: Answer("The app.", {"application/json": shapes.AppDetails()})},
    problems=(*_PROBLEMS, "not-found"),
    scope=ADMIN,
)
def view_app(name: str) -> Reply:
    """The app, its scopes, and its keys by their ids."""
    administering_app()
    query(_NO_QUERY)
    return answer(app_document(use_cases().apps.app(name)), cache=NO_STORE)


@apps.operation(
    "PATCH",
    "/v1/apps/{name}",
    summary="Change an app",
    body=_CHANGED,
    token="required",
    answers={200: Answer("The app.", {"application/json": shapes.AppDetails()})},
    problems=(*_PROBLEMS, "not-found", "conflict"),
    scope=ADMIN,
)
def change_app(name: str) -> Reply:
    """Changes the metadata that administrators keep of the app, which the app itself does not see, its quotas and its
    limits.
    """
    admin = administering_app()
    query(_NO_QUERY)
    wanted = cast("AppChange", checked(_CHANGED, json_body(_CHANGED)))
    found = use_cases().apps.change(name, wanted)
    if "limits" in wanted:
        log.info("%s set the limits of the app %s to %s", admin.app, name, found.app.limits)
    if "quotas" in wanted:
        log.info("%s set the quotas of the app %s to %s", admin.app, name, found.app.quotas)
    return answer(app_document(found), cache=NO_STORE)


@apps.operation(
    "GET",
    "/v1/apps/{name}/usage",
    summary="Get an app's usage",
    query=_USAGE_QUERY,
    token="required",
    answers={200: Answer("The usage.", {"application/json": UsageReport()})},
    problems=(*_PROBLEMS, "not-found"),
    scope=ADMIN,
)
def app_usage(name: str) -> Reply:
    """Usage by day (UTC), kept for 400 days. For administrators, and for the app itself with `games:read`."""
    caller = reader_of_app(name)
    wanted = query(_USAGE_QUERY)
    report = use_cases().usage.report(name, wanted.get("first"), wanted.get("last"))
    if not report["days"] and caller.app != name:
        use_cases().apps.app(name)  # raises if there is no such app
    return answer(report, cache=NO_STORE)


@apps.operation(
    "POST",
    "/v1/apps/{name}/keys",
    summary="Rotate an app's key",
    body=_ROTATION,
    body_required=False,
    token="required",
    answers={201: Answer("The app, with its new key.", {"application/json": shapes.IssuedKey()})},
    problems=(*_PROBLEMS, "not-found", "too-many-keys", "conflict"),
    scope=ADMIN,
)
def rotate_key(name: str) -> Reply:
    """A second key for the app. The old key expires after `overlap` seconds; with 0 all old keys are void at once. At
    most two keys are valid at a time. Only this response contains the key. An app whose keys were revoked has a key
    again.
    """
    admin = administering_app()
    query(_NO_QUERY)
    wanted = checked(_ROTATION, json_body(_ROTATION, optional=True))
    issued = use_cases().apps.rotate(name, wanted["overlap"], wanted.get("expires_in"))
    log.info("%s gave the app %s the key %s", admin.app, name, issued.id)
    return answer(issued_document(issued), 201, cache=NO_STORE)


@apps.operation(
    "DELETE",
    "/v1/apps/{name}/keys/{key_id}",
    summary="Revoke a key",
    token="required",
    answers={204: Answer("The key is void.", {})},
    problems=(*_PROBLEMS, "not-found", "conflict"),
    scope=ADMIN,
)
def revoke_key(name: str, key_id: str) -> Reply:
    """Every process refuses the key after 2 seconds at the latest; streams that it has opened get nothing more by then,
    and end within 15 seconds. A second request gets 404.
    """
    admin = administering_app()
    query(_NO_QUERY)
    use_cases().apps.revoke_key(name, key_id)
    log.info("%s revoked the key %s of the app %s", admin.app, key_id, name)
    return empty({"Cache-Control": NO_STORE, "Vary": VARY})


@apps.operation(
    "DELETE",
    "/v1/apps/{name}",
    summary="Revoke an app",
    token="required",
    answers={204: Answer("All keys of the app are void.", {})},
    problems=(*_PROBLEMS, "not-found", "conflict"),
    scope=ADMIN,
)
def revoke_app(name: str) -> Reply:
    """Voids all keys of the app. Its games stay and play on, and its name stays taken; POST /v1/apps/{name}/keys lets
    it in again. It is safe to repeat the request.
    """
    admin = administering_app()
    query(_NO_QUERY)
    use_cases().apps.revoke(name)
    log.info("%s revoked all keys of the app %s", admin.app, name)
    return empty({"Cache-Control": NO_STORE, "Vary": VARY})
