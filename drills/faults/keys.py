"""A restart with other keys: one that signs heads, and one by which the app is known."""

import hashlib
import random
from typing import Final

from drills.clients.client import AppKey
from drills.faults.fault import Fault, Scene, Struck

APP: Final = "drill"


def new_app_key(rng: random.Random) -> AppKey:
    """A key for the app that creates the games."""
    return AppKey(f"mgapp_{rng.getrandbits(256):064x}")


def app_keys_setting(key: AppKey) -> dict[str, str]:
    """The setting that makes an engine know the app by its key."""
    return {"MIGRATO_APP_KEYS": f"{APP}={hashlib.sha256(key.value.encode()).hexdigest()}"}


def _rotate(scene: Scene, rng: random.Random) -> Struck:
    kid = scene.engine.rotate_signing_key()
    scene.engine.stop()
    scene.app_key.value = new_app_key(rng).value
    scene.engine.settings |= app_keys_setting(scene.app_key)
    healed = scene.history.now()
    scene.engine.start()
    return Struck(f"signs with {kid}", healed, ready=scene.history.now())


FAULTS: Final = (Fault("rotate keys", _rotate),)
