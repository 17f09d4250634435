"""An app as its administrators see it: without keys and their hashes."""

from domain.lifecycle import Json
from events.features.apps.administration import IssuedKey
from events.features.apps.port import FoundApp
from events.features.apps.records import date
from events.times import time_of


def app_document(found: FoundApp) -> Json:
    """The app with its keys, by the store's time. `status`: "active", or without a valid key "expired" or "revoked"."""
    app = found.app
    status = "active" if app.valid_keys(found.now) else "expired" if app.keys else "revoked"
    keys = [
        {
            "id": key.id,
            "created_at": time_of(key.created),
            "expires_at": None if key.expires is None else time_of(key.expires),
            "last_used_on": date(found.used[key.id]) if key.id in found.used else None,
        }
        for key in app.keys
    ]
    return {
        "name": app.name,
        "status": status,
        "scopes": list(app.scopes),
        "created_at": time_of(app.created),
        "keys": keys,
        **({"metadata": dict(app.metadata)} if app.metadata else {}),
        **({"quotas": dict(app.quotas)} if app.quotas else {}),
        **({"limits": dict(app.limits)} if app.limits else {}),
    }


def issued_document(issued: IssuedKey) -> Json:
    """The app with the key that it has just got; only this document shows the key."""
    return {"app": app_document(issued.found), "key_id": issued.id, "key": issued.text}
