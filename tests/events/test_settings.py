"""Settings: defaults, every variable, and messages that name the variable."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from events.runtime.settings import BESIDE, Settings, SettingsError, load

ROOT = Path(__file__).parents[2]
CODE = ("compiled", "domain", "events", "service", "workers")


def test_without_variables_the_defaults_hold() -> None:
    """Others' variables are none of ours."""
    assert load({"PATH": "/bin", "PORT": "1"}) == Settings()


def test_an_empty_variable_is_not_set() -> None:
    """As in `MIGRATO_REDIS_URL= make run`."""
    assert load({"MIGRATO_REDIS_URL": "", "MIGRATO_PORT": ""}) == Settings()


def test_every_variable() -> None:
    """All of them at once."""
    environ = {
        "MIGRATO_HOST": "::1",
        "MIGRATO_PORT": "8001",
        "MIGRATO_DATA_DIR": "/var/lib/migrato",
        "MIGRATO_REDIS_URL": "redis://:secret@redis:6379/1",
        "MIGRATO_QUEUE_URL": "unix:///run/queue.sock",
        "MIGRATO_APP_KEYS": f"one={'0a' * 32}, two={'FF' * 32}",
        "MIGRATO_WEB_WORKERS": "3",
        "MIGRATO_BOT_WORKERS": "0",
        "MIGRATO_THINK_WORKERS": "2",
        "MIGRATO_REMOTE_WORKERS": "0",
        "MIGRATO_LOG_LEVEL": "debug",
        "MIGRATO_PUBLIC_URL": "https://play.example",
        "MIGRATO_CACHE_MB": "10",
        "MIGRATO_LONG_POLL_MAX": "5",
        "MIGRATO_STREAMS_PER_CALLER": "50",
        "MIGRATO_TRUSTED_PROXIES": "10.0.0.0/8, ::1",
        "MIGRATO_REDIS_TIMEOUT": "0.5",
        "MIGRATO_FSYNC": "no",
        "MIGRATO_REMOTE_ALLOW": "10.0.0.0/8, ::1,bots.internal,",
        "MIGRATO_REMOTE_SECONDS": "2.5",
        "MIGRATO_REMOTE_CALLS": "100",
        "MIGRATO_SIGNING_KEYS": "/etc/migrato/keys",
        "MIGRATO_ARCHIVE": "/var/lib/archive",
        "MIGRATO_ARCHIVE_AFTER": "12h",
        "MIGRATO_HANG_SECONDS": "60",
        "MIGRATO_DRAIN_SECONDS": "45",
        "MIGRATO_ORIGINS": "http://localhost:3000, https://[::1]",
    }
    assert load(environ) == Settings(
        host="::1",
        port=8001,
        data_dir=Path("/var/lib/migrato"),
        redis_url="redis://:secret@redis:6379/1",
        queue_url="unix:///run/queue.sock",
        app_keys={"one": "0a" * 32, "two": "ff" * 32},
        web_workers=3,
        bot_workers=0,
        think_workers=2,
        remote_workers=0,
        log_level="debug",
        public_url="https://play.example",
        cache_mb=10,
        long_poll_max=5,
        streams_per_caller=50,
        trusted_proxies=("10.0.0.0/8", "::1"),
        redis_timeout=0.5,
        fsync="no",
        remote_allow=("10.0.0.0/8", "::1", "bots.internal"),
        remote_seconds=2.5,
        remote_calls=100,
        signing_keys=Path("/etc/migrato/keys"),
        archive="/var/lib/archive",
        archive_after=43_200,
        hang_seconds=60,
        drain_seconds=45,
        origins=("http://localhost:3000", "https://[::1]"),
    )


@pytest.mark.parametrize(
    "url", ["redis+cluster://a:7000,b", "rediss+cluster://u:p@[::1]:7000,c.example:7001/"]
)
def test_a_cluster_needs_a_queue_beside_it(url: str) -> None:
    """It cannot keep the jobs itself."""
    known = load({"MIGRATO_REDIS_URL": url, "MIGRATO_QUEUE_URL": "redis://q", "MIGRATO_REDIS_REPLICAS": "2"})
    assert (known.redis_url, known.queue_url, known.redis_replicas) == (url, "redis://q", 2)
    with pytest.raises(SettingsError) as refused:
        load({"MIGRATO_REDIS_URL": url})
    assert str(refused.value).startswith("MIGRATO_QUEUE_URL must be set beside a cluster")


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("BOT_WORKRES", "Did you mean MIGRATO_BOT_WORKERS?"),
        ("APPKEYS", "Did you mean MIGRATO_APP_KEYS?"),
        ("REDIS", "Did you mean MIGRATO_REDIS_URL?"),
        ("WEBWORKERS", "Did you mean MIGRATO_WEB_WORKERS?"),
        ("APP_KEY", "Did you mean MIGRATO_APP_KEYS?"),  # of `migrato play`
        ("COMPILD", "Did you mean MIGRATO_COMPILED?"),
        ("CACHE_SIZE", "MIGRATO_CACHE_MB has taken its place, in MiB and not in games."),
        ("MODEL_SEED", "docs/reference/settings.md lists the settings."),
        ("QQ", "docs/reference/settings.md lists the settings."),
    ],
)
def test_an_unknown_name_is_refused_with_the_one_that_was_meant(name: str, advice: str) -> None:
    """A slip in a name must not start an engine that is open, or forgetful."""
    with pytest.raises(SettingsError) as refused:
        load({f"MIGRATO_{name}": "1", "MIGRATO_PORT": "8000"})
    assert str(refused.value) == f"MIGRATO_{name} is no setting. {advice}"


def test_an_unknown_name_without_a_value_is_not_set() -> None:
    """As with names that are known."""
    assert load({f"MIGRATO_{name}": "" for name in ("QQ", "PORT")}) == Settings()


def test_no_name_that_an_engine_reads_is_unknown() -> None:
    """Others, those of commands and tests, are: they may be slips."""
    files = [path for folder in CODE for path in (ROOT / folder).rglob("*.py")]
    names = {name for path in files for name in re.findall(r"\bMIGRATO_([A-Z_]*[A-Z])\b", path.read_text())}
    known = {field.name.upper() for field in fields(Settings)} | BESIDE
    assert {"APP_KEY", "COMPILED", "PORT", "PULSE"} <= names
    assert names - known == {"APP_KEY"}
    assert load({f"MIGRATO_{name}": "0" for name in BESIDE}) == Settings()


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("ORIGINS", "http://x.de/", "with no slash or path behind"),
        ("TRUSTED_PROXIES", "127.0.0.1/8", "with no bits set beyond the prefix"),
        ("REMOTE_ALLOW", "127.0.0.1/8", "with no bits set beyond the prefix"),
    ],
)
def test_what_is_easily_written_wrong_is_named(name: str, value: str, fault: str) -> None:
    with pytest.raises(SettingsError, match=fault):
        load({f"MIGRATO_{name}": value})


def test_the_queue_is_on_the_same_redis_by_default() -> None:
    """One URL is enough."""
    assert load({"MIGRATO_REDIS_URL": "redis://a"}).queue_url == "redis://a"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HOST", "a host"),
        ("PORT", "http"),
        ("STREAMS_PER_CALLER", "0"),
        ("TRUSTED_PROXIES", "my-proxy"),
        ("TRUSTED_PROXIES", "10.0.0.1/8"),
        ("PORT", "0"),
        ("PORT", "65536"),
        ("DATA_DIR", __file__),
        ("REDIS_URL", "localhost:6379"),
        ("REDIS_URL", "redis+cluster:///"),
        ("REDIS_URL", "redis+cluster://a:1,"),
        ("REDIS_URL", "redis+cluster://a:0"),
        ("REDIS_URL", "redis+cluster://a/1"),
        ("QUEUE_URL", "redis+cluster://a"),
        ("REDIS_REPLICAS", "-1"),
        ("QUEUE_URL", "http://localhost"),
        ("APP_KEYS", "one"),
        ("APP_KEYS", "one=key"),
        ("APP_KEYS", f"one={'0' * 64},one={'1' * 64}"),
        ("APP_KEYS", f"{{one}}={'0' * 64}"),
        ("WEB_WORKERS", "0"),
        ("BOT_WORKERS", "-1"),
        ("LOG_LEVEL", "loud"),
        ("PUBLIC_URL", "play.example"),
        ("CACHE_MB", "0"),
        ("LONG_POLL_MAX", "301"),
        ("REDIS_TIMEOUT", "nan"),
        ("FSYNC", "yes"),
        ("REMOTE_ALLOW", "10.0.0.1/8"),
        ("REMOTE_ALLOW", "127.0.0.1 10.0.0.1"),
        ("REMOTE_ALLOW", "http://bots.internal"),
        ("REMOTE_SECONDS", "0"),
        ("REMOTE_SECONDS", "61"),
        ("REMOTE_CALLS", "0"),
        ("REMOTE_WORKERS", "-1"),
        ("REMOTE_CALLS", "1000"),
        ("HANG_SECONDS", "4"),
        ("HANG_SECONDS", "2.5"),
        ("DRAIN_SECONDS", "0"),
        ("DRAIN_SECONDS", "601"),
        ("COMPILED", "no"),
        ("ORIGINS", "play.example"),
        ("ORIGINS", "http://localhost:3000/"),
        ("ORIGINS", "http://["),
        ("ORIGINS", "null"),
    ],
)
def test_a_bad_value_is_refused_by_the_variables_name(name: str, value: str) -> None:
    """The message names the variable, and keeps to itself what may be a secret."""
    with pytest.raises(SettingsError) as refused:
        load({f"MIGRATO_{name}": value})
    assert str(refused.value).startswith(f"MIGRATO_{name} must be ")
    assert value not in str(refused.value) or len(value) < 4
