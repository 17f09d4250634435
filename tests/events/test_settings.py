"""Settings: defaults, every variable, and messages that name the variable."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from redis import ConnectionPool

from events.runtime.settings import BESIDE, Settings, SettingsError, load
from events.runtime.stores.redis_options import OPTIONS

ROOT = Path(__file__).parents[2]
CODE = ("compiled", "domain", "events", "service", "workers")


def test_defaults_hold_for_all_that_is_not_set() -> None:
    """Others' variables are none of ours, and one that is empty is not set, as in `MIGRATO_REDIS_URL= make run`."""
    for environ in (
        {"PATH": "/bin", "PORT": "1"},
        {f"MIGRATO_{name}": "" for name in ("REDIS_URL", "PORT", "QQ")},
    ):
        assert load(environ) == Settings()
    assert load({"MIGRATO_REDIS_URL": "redis://a"}).queue_url == "redis://a"


VARIABLES: dict[str, tuple[str, object]] = {
    "HOST": ("::1", "::1"),
    "PORT": ("8001", 8001),
    "DATA_DIR": ("/var/lib/migrato", Path("/var/lib/migrato")),
    "REDIS_URL": ("redis://:secret@redis:6379/1", "redis://:secret@redis:6379/1"),
    "QUEUE_URL": ("unix:///run/queue.sock", "unix:///run/queue.sock"),
    "APP_KEYS": (f"one={'0a' * 32}, two={'FF' * 32}", {"one": "0a" * 32, "two": "ff" * 32}),
    "WEB_WORKERS": ("3", 3),
    "WEB_STANDBY": ("0", 0),
    "BOT_WORKERS": ("0", 0),
    "THINK_WORKERS": ("2", 2),
    "REMOTE_WORKERS": ("0", 0),
    "LOG_LEVEL": ("debug", "debug"),
    "PUBLIC_URL": ("https://play.example", "https://play.example"),
    "CACHE_MB": ("10", 10),
    "LONG_POLL_MAX": ("5", 5),
    "STREAMS_PER_CALLER": ("50", 50),
    "STREAM_HEARTBEAT": ("0.1", 0.1),
    "TRUSTED_PROXIES": ("10.0.0.0/8, ::1", ("10.0.0.0/8", "::1")),
    "REQUIRE_APPS": ("1", True),
    "REDIS_TIMEOUT": ("0.5", 0.5),
    "FSYNC": ("no", "no"),
    "REMOTE_ALLOW": ("10.0.0.0/8, ::1,bots.internal,", ("10.0.0.0/8", "::1", "bots.internal")),
    "REMOTE_SECONDS": ("2.5", 2.5),
    "REMOTE_CALLS": ("100", 100),
    "SIGNING_KEYS": ("/etc/migrato/keys", Path("/etc/migrato/keys")),
    "ARCHIVE": ("/var/lib/archive", "/var/lib/archive"),
    "ARCHIVE_AFTER": ("12h", 43_200),
    "ARCHIVE_KEEP": ("730d", 63_072_000),
    "LISTINGS_KEEP": ("off", 0),
    "SEAT_FORKS_KEPT": ("36h", 129_600),
    "HANG_SECONDS": ("60", 60),
    "DRAIN_SECONDS": ("45", 45),
    "ORIGINS": ("http://localhost:3000, https://[::1]", ("http://localhost:3000", "https://[::1]")),
    "EMBED_ANCESTORS": ("https://a.example, *", ("https://a.example", "*")),
}


def test_a_password_may_hold_any_character_by_its_code() -> None:
    """A password may hold any character by its code; an address may also have options of the connection."""
    for url in (
        "redis://u:p%23%2F%3Fs@s@a:1/2",
        "rediss://a/?ssl_cert_reqs=none&db=3",
        "unix://u:p@/run/a?db=1",
        "redis://",
    ):
        assert load({"MIGRATO_REDIS_URL": url, "MIGRATO_QUEUE_URL": url}).queue_url == url


def test_an_engine_that_others_reach_requires_apps() -> None:
    """Behind a proxy, or with a public address; unless it is told to serve everybody."""
    for told in ({"MIGRATO_PUBLIC_URL": "https://play.example"}, {"MIGRATO_TRUSTED_PROXIES": "::1"}):
        assert load(told).require_apps
        assert not load(told | {"MIGRATO_REQUIRE_APPS": "0"}).require_apps
    assert not load({}).require_apps


def test_every_variable_is_read() -> None:
    """Every variable is read, all of them set at once."""
    wanted: dict[str, Any] = {name.lower(): value for name, (_, value) in VARIABLES.items()}
    assert load({f"MIGRATO_{name}": text for name, (text, _) in VARIABLES.items()}) == Settings(**wanted)


def test_a_cluster_needs_a_queue_beside_it() -> None:
    """A cluster needs a queue beside it, for a cluster cannot keep the jobs itself."""
    for url in ("redis+cluster://a:7000,b", "rediss+cluster://u:p@[::1]:7000,c.example:7001/"):
        beside = {"MIGRATO_QUEUE_URL": "redis://q", "MIGRATO_REDIS_REPLICAS": "2"}
        known = load({"MIGRATO_REDIS_URL": url, **beside})
        assert (known.redis_url, known.queue_url, known.redis_replicas) == (url, "redis://q", 2)
        with pytest.raises(SettingsError, match=r"^MIGRATO_QUEUE_URL must be set beside a cluster"):
            load({"MIGRATO_REDIS_URL": url})


def test_an_unknown_name_is_refused_with_the_one_that_was_meant() -> None:
    """A slip in a name must not start an engine that is open, or forgetful."""
    for name, advice in (
        ("BOT_WORKRES", "Did you mean MIGRATO_BOT_WORKERS?"),
        ("APPKEYS", "Did you mean MIGRATO_APP_KEYS?"),
        ("REDIS", "Did you mean MIGRATO_REDIS_URL?"),
        ("WEBWORKERS", "Did you mean MIGRATO_WEB_WORKERS?"),
        ("APP_KEY", "Did you mean MIGRATO_APP_KEYS?"),  # of `migrato play`
        ("COMPILD", "Did you mean MIGRATO_COMPILED?"),
        ("MODEL_SEED", "docs/reference/settings.md lists the settings."),
        ("QQ", "docs/reference/settings.md lists the settings."),
    ):
        with pytest.raises(SettingsError) as refused:
            load({f"MIGRATO_{name}": "1", "MIGRATO_PORT": "8000"})
        assert str(refused.value) == f"MIGRATO_{name} is no setting. {advice}"


def test_no_name_that_an_engine_reads_is_unknown() -> None:
    """Others, those of commands and tests, are: they may be slips."""
    files = [path for folder in CODE for path in (ROOT / folder).rglob("*.py")]
    names = {name for path in files for name in re.findall(r"\bMIGRATO_([A-Z_]*[A-Z])\b", path.read_text())}
    known = {field.name.upper() for field in fields(Settings)} | BESIDE
    assert {"APP_KEY", "COMPILED", "PORT", "PULSE"} <= names
    assert names - known == {"APP_KEY", "BOT_SECRET"}
    assert load({f"MIGRATO_{name}": "0" for name in BESIDE}) == Settings()


def test_common_slips_are_named() -> None:
    for name, value, fault in (
        ("ORIGINS", "http://x.de/", "with no slash or path behind"),
        ("TRUSTED_PROXIES", "127.0.0.1/8", "with no bits set beyond the prefix"),
        ("REMOTE_ALLOW", "127.0.0.1/8", "with no bits set beyond the prefix"),
    ):
        with pytest.raises(SettingsError, match=fault):
            load({f"MIGRATO_{name}": value})


def test_an_option_of_an_address_that_will_not_do_is_named() -> None:
    """With its setting, and never with its value; whatever the client would have died of when it first connects."""
    for url, told in {
        "redis://a/0?nonsense=1": "an option that is none: nonsense",
        "redis://a/0?protocol=3": "an option that is none: protocol",
        "redis://a?Pa55=1": "its name is no word",
        "redis://a/0?socket_timeout=abc": "socket_timeout must be seconds",
        "redis://a/0?socket_timeout=inf": "socket_timeout must be seconds",
        "redis://a?db=games": "db must be a number",
        "redis://a?ssl_cert_reqs=none": "an option that is none: ssl_cert_reqs",
        "rediss://a?ssl_cert_reqs=maybe": "ssl_cert_reqs must be none, optional or required",
        "rediss://a?ssl_ca_certs=/no/where": "ssl_ca_certs must be a file",
        "unix:///a?client_name=": "client_name must be a name",
        "redis+cluster://a,b?retry=1": "an option that is none: retry",
    }.items():
        for name in ("REDIS_URL", "QUEUE_URL"):
            if name == "REDIS_URL" or "cluster" not in url:
                with pytest.raises(SettingsError) as refused:
                    load({"MIGRATO_QUEUE_URL": "redis://q", f"MIGRATO_{name}": url})
                assert str(refused.value).startswith(f"MIGRATO_{name} has an option"), url
                assert told in str(refused.value)
                assert not {"abc", "games", "maybe", "/no/where"} & set(str(refused.value).split())


def test_the_client_knows_the_options() -> None:
    """All that are known here, and takes them as they are written."""
    values = {"db": "1", "health_check_interval": "1", "socket_keepalive": "yes", "ssl_check_hostname": "yes"}
    for name in OPTIONS:
        value = values.get(name, "5" if name.startswith("socket") else "none")
        pool = ConnectionPool.from_url(f"rediss://a?{name}={value}")
        pool.connection_class(**pool.connection_kwargs)


BAD = {
    "HOST": ["a host"],
    "PORT": ["http", "0", "65536"],
    "STREAMS_PER_CALLER": ["0"],
    "STREAM_HEARTBEAT": ["0.05", "15.1"],
    "TRUSTED_PROXIES": ["my-proxy", "10.0.0.1/8"],
    "DATA_DIR": [__file__],
    "REDIS_URL": [
        "localhost:6379",
        *(f"redis+cluster://{nodes}" for nodes in ("/", "a:1,", "a:0", "a/1", "[::1", "u:1#2@a")),
        *(f"redis://:{password}@a:6379" for password in ("p#ss", "1#2", "p/ss", "1?2", "1/2")),
        *(f"redis://a{rest}" for rest in (":66666", ":0", "/games", "/0/1", "/-1", "?db")),
        "unix:///",
    ],
    "QUEUE_URL": ["redis+cluster://a", "http://localhost", "redis://a/jobs"],
    "REDIS_REPLICAS": ["-1"],
    "APP_KEYS": ["one", "one=key", f"one={'0' * 64},one={'1' * 64}", f"{{one}}={'0' * 64}"],
    "WEB_WORKERS": ["0"],
    "WEB_STANDBY": ["yes"],
    "BOT_WORKERS": ["-1"],
    "LOG_LEVEL": ["loud"],
    "PUBLIC_URL": [
        "play.example",
        "https://[::1",
        "https://:443",
        "https://play.example:port",
        "https://play.example?a=b",
        "https://u:secret@play.example",
    ],
    "CACHE_MB": ["0"],
    "LONG_POLL_MAX": ["301"],
    "REDIS_TIMEOUT": ["nan"],
    "FSYNC": ["yes"],
    "REMOTE_ALLOW": ["10.0.0.1/8", "127.0.0.1 10.0.0.1", "http://bots.internal"],
    "REMOTE_SECONDS": ["0", "61"],
    "REMOTE_CALLS": ["0", "1000"],
    "REMOTE_WORKERS": ["-1"],
    "HANG_SECONDS": ["4", "2.5"],
    "DRAIN_SECONDS": ["0", "601"],
    "COMPILED": ["no"],
    "EMBED_ANCESTORS": ["a.example", "https://*.a.example", "'self'"],
    "ORIGINS": ["play.example", "http://localhost:3000/", "http://[", "null"],
}


def test_a_bad_value_is_refused_by_the_variables_name() -> None:
    """The message names the variable, and keeps to itself what may be a secret."""
    for name, value in ((name, value) for name, values in BAD.items() for value in values):
        with pytest.raises(SettingsError) as refused:
            load({f"MIGRATO_{name}": value})
        assert str(refused.value).startswith(f"MIGRATO_{name} must be "), value
        assert value not in str(refused.value) or len(value) < 4
