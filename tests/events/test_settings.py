"""Settings: defaults, every variable, and messages that name the variable."""

from pathlib import Path

import pytest

from events.settings import Settings, SettingsError, load


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
        "MIGRATO_LOG_LEVEL": "debug",
        "MIGRATO_PUBLIC_URL": "https://play.example",
        "MIGRATO_CACHE_MB": "10",
        "MIGRATO_LONG_POLL_MAX": "5",
        "MIGRATO_REDIS_TIMEOUT": "0.5",
        "MIGRATO_FSYNC": "no",
        "MIGRATO_REMOTE_ALLOW": "10.0.0.0/8, ::1,bots.internal,",
        "MIGRATO_REMOTE_SECONDS": "2.5",
        "MIGRATO_REMOTE_CALLS": "100",
        "MIGRATO_SIGNING_KEYS": "/etc/migrato/keys",
        "MIGRATO_ARCHIVE": "/var/lib/archive",
        "MIGRATO_ARCHIVE_AFTER": "12h",
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
        log_level="debug",
        public_url="https://play.example",
        cache_mb=10,
        long_poll_max=5,
        redis_timeout=0.5,
        fsync="no",
        remote_allow=("10.0.0.0/8", "::1", "bots.internal"),
        remote_seconds=2.5,
        remote_calls=100,
        signing_keys=Path("/etc/migrato/keys"),
        archive="/var/lib/archive",
        archive_after=43_200,
    )


def test_the_queue_is_on_the_same_redis_by_default() -> None:
    """One URL is enough."""
    assert load({"MIGRATO_REDIS_URL": "redis://a"}).queue_url == "redis://a"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HOST", "a host"),
        ("PORT", "http"),
        ("PORT", "0"),
        ("PORT", "65536"),
        ("DATA_DIR", __file__),
        ("REDIS_URL", "localhost:6379"),
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
        ("REMOTE_CALLS", "1000"),
    ],
)
def test_a_bad_value_is_refused_by_the_variables_name(name: str, value: str) -> None:
    """The message names the variable, and keeps to itself what may be a secret."""
    with pytest.raises(SettingsError) as refused:
        load({f"MIGRATO_{name}": value})
    assert str(refused.value).startswith(f"MIGRATO_{name} must be ")
    assert value not in str(refused.value) or len(value) < 4
