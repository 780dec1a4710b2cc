"""The user-global file `signal-grep.json`: one object, checked as a whole and replaced as a whole.

It holds what a person chose for all editors and projects. Everything here blocks.
"""

import codecs
import os
import stat
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

import msgspec

from sg_server import limits
from sg_server.errors import ConfigInvalid, ConfigUnavailable
from sg_server.messages import Locale

if TYPE_CHECKING:
    from filelock import BaseFileLock

FILE_NAME: Final = "signal-grep.json"
ENVIRONMENT_NAME: Final = "SG_CONFIG"
"""Names the file itself, in the place of the one in the platform's folder."""

_FORM: Final = (
    'It holds {"overrideBuiltinGrep": true or false, "startMetricsOnNextLoad": true or false, '
    '"locale": "en" or "zh-CN"} and nothing else. Put it right or delete it.'
)


class UserConfig(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """The whole file. Without one: additive mode in English.

    Raises ValueError where metrics are to start and the override, without which they do not, is off.
    """

    override_builtin_grep: bool
    start_metrics_on_next_load: bool
    """Once: the next session in which the override is in force takes it back and starts metrics."""
    locale: Locale = "en"
    """Files written before there was a choice do not have it."""

    def __post_init__(self) -> None:
        """Hold what no type can say."""
        if self.start_metrics_on_next_load and not self.override_builtin_grep:
            raise ValueError("`startMetricsOnNextLoad` is true and `overrideBuiltinGrep` is not")


DEFAULT: Final = UserConfig(override_builtin_grep=False, start_metrics_on_next_load=False)


def file_path(environment: Mapping[str, str]) -> str:
    """Where the file is: `SG_CONFIG`, else in the platform's folder for configurations."""
    if named := environment.get(ENVIRONMENT_NAME):
        return os.path.abspath(named)
    import platformdirs  # noqa: PLC0415 - takes as long as the rest of this package

    return os.path.join(platformdirs.user_config_dir("signal-grep", appauthor=False), FILE_NAME)


class UserFile:
    """The file at one path, which other servers read and write as well."""

    def __init__(self, path: str) -> None:
        self.path = path

    def read(self) -> UserConfig:
        """What the file says now. Raises ConfigInvalid, ConfigUnavailable."""
        try:
            # A pipe would be waited for.
            with open(os.open(self.path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise ConfigUnavailable(f"{self.path} is not a regular file")
                text = file.read(limits.USER_FILE_BYTES + 1)
        except FileNotFoundError:
            return DEFAULT
        except OSError as error:
            raise ConfigUnavailable(f"{self.path} cannot be read: {error.strerror}") from error
        if len(text) > limits.USER_FILE_BYTES:
            raise ConfigInvalid(f"{self.path} is too large to be a configuration", _FORM)
        try:
            return msgspec.json.decode(text.removeprefix(codecs.BOM_UTF8), type=UserConfig)
        except msgspec.ValidationError as error:
            raise ConfigInvalid(f"{self.path} is not valid: {error}", _FORM) from error
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ConfigInvalid(f"{self.path} is not JSON: {error}", _FORM) from error

    def update(self, change: Callable[[UserConfig], UserConfig]) -> tuple[UserConfig, UserConfig]:
        """Replace what the file says by what `change` makes of it; returns both.

        One writer at a time reads and writes, so that none of two loses what the other has changed. Readers
        see the old file or the new one. Raises ConfigInvalid, ConfigUnavailable; then nothing has changed.
        """
        try:
            # A link stays one: what it leads to is replaced, and locked under its own name.
            target = os.path.realpath(self.path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with _lock(target):
                before = self.read()
                after = change(before)
                if after != before:
                    _replace(target, msgspec.json.format(msgspec.json.encode(after)) + b"\n")
        except TimeoutError as error:  # before OSError, which it is
            message = f"{self.path} is locked by another server"
            raise ConfigUnavailable(
                message, "Try again; if that does not help, end the other one."
            ) from error
        except OSError as error:
            raise ConfigUnavailable(f"{self.path} cannot be written: {error.strerror}") from error
        return before, after


def _lock(target: str) -> "BaseFileLock":
    """A lock of the system's, which ends with its process."""
    from filelock import FileLock  # noqa: PLC0415 - only who writes needs it

    return FileLock(f"{target}.lock", timeout=limits.USER_FILE_LOCK_SECONDS)


def _replace(target: str, text: bytes) -> None:
    """Let `target` hold `text` or, whatever happens, what it held; the lock has to be held."""
    staged = f"{target}.new"  # what a killed writer has left there is written over
    descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(staged, _mode_of(target))
        os.replace(staged, target)
    except BaseException:
        os.unlink(staged)
        raise
    _sync_folder(os.path.dirname(target))


def _mode_of(target: str) -> int:
    """The permissions that `target` has, or those of a file that only its owner reads."""
    try:
        return stat.S_IMODE(os.stat(target).st_mode)
    except FileNotFoundError:
        return 0o600


def _sync_folder(folder: str) -> None:
    """Let the new name last through a power failure, where the system can be asked to."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
