"""What the person at the editor chose for all editors: the mode, the language, and when metrics begin."""

import asyncio
from collections.abc import Callable

import msgspec
from lsprotocol import types

from sg_server import modes
from sg_server.errors import (
    ConfigInvalid,
    ConfigUnavailable,
    InvalidParams,
    ModeConflict,
    SignalGrepError,
)
from sg_server.messages import MESSAGES, Locale, Messages
from sg_server.modes import Decision, Detection, Mode
from sg_server.userfile import DEFAULT, UserConfig, UserFile

Show = Callable[[types.MessageType, str], None]


class Preferences:
    """The user-global file, as one session has to do with it.

    The file is read when it is asked about, since servers of other windows write it too; only the language is
    that of the last reading.
    """

    def __init__(self, file: UserFile, detection: Detection, show: Show) -> None:
        self._file = file
        self._detection = detection
        self._show = show
        self._locale: Locale = DEFAULT.locale
        self._turn = asyncio.Lock()
        """Threads that read and write the file would overtake each other."""

    @property
    def messages(self) -> Messages:
        """What people read, in their language."""
        return MESSAGES[self._locale]

    async def load(self, *, start_metrics: Callable[[], None]) -> None:
        """Read the file, tell of what does not hold in this session, and start metrics if it says so."""
        try:
            await self._load(start_metrics)
        except (ConfigInvalid, ConfigUnavailable) as error:
            self._show(types.MessageType.Error, _sentences(error))

    async def mode(self) -> Decision:
        """The mode as the file has it now. Raises ConfigInvalid, ConfigUnavailable."""
        return self._decision(await self._read())

    async def choose_mode(self, mode: Mode) -> Decision:
        """Keep `mode`, from now on and for later sessions.

        Raises ModeConflict for an override that could not be in force, ConfigInvalid, ConfigUnavailable.
        """
        decision = modes.decide(mode, self._detection)
        if (reason := modes.reason(decision, MESSAGES["en"])) is not None:
            raise ModeConflict(
                f"the editor's grep cannot be taken over: {reason}",
                "Remove or disable what is in the way, and restart the editor.",
            )
        is_override = mode == "override"
        await self._update(
            lambda config: msgspec.structs.replace(
                config,
                override_builtin_grep=is_override,
                start_metrics_on_next_load=config.start_metrics_on_next_load and is_override,
            )
        )
        return decision

    async def choose_locale(self, locale: Locale) -> None:
        """Speak to people in `locale`, from now on. Raises ConfigInvalid, ConfigUnavailable."""
        await self._update(lambda config: msgspec.structs.replace(config, locale=locale))

    async def locale(self) -> Locale:
        """The language as the file has it now. Raises ConfigInvalid, ConfigUnavailable."""
        return (await self._read()).locale

    async def check_comparable(self) -> None:
        """Raise ModeConflict where the override was chosen and is not in force.

        Who chose it takes every search of the editor to be counted. In additive mode nobody does.
        """
        decision = await self.mode()
        if (reason := modes.reason(decision, MESSAGES["en"])) is not None:
            raise ModeConflict(
                f"metrics would not see the editor's own searches: {reason}",
                'Remove or disable what is in the way, or send sg.mode {"action":"additive"}.',
            )

    async def start_metrics_on_next_load(self) -> None:
        """Let the next session begin with metrics on.

        Raises InvalidParams where no override is configured, ConfigInvalid, ConfigUnavailable.
        """

        def hand_off(config: UserConfig) -> UserConfig:
            if not config.override_builtin_grep:
                message = '"on-next-load" is accepted only where sg.mode has chosen "override"'
                raise InvalidParams("action", message)
            return msgspec.structs.replace(config, start_metrics_on_next_load=True)

        await self._update(hand_off)

    async def _load(self, start_metrics: Callable[[], None]) -> None:
        config = await self._read()
        decision = self._decision(config)
        if (reason := modes.reason(decision, self.messages)) is not None:
            self._show(types.MessageType.Warning, self.messages.stays_additive.format(reason=reason))
        elif config.start_metrics_on_next_load:
            # Of two sessions that begin at once, one takes it.
            before, _ = await self._update(_taken)
            if before.start_metrics_on_next_load:
                start_metrics()

    async def _read(self) -> UserConfig:
        async with self._turn:
            config = await asyncio.to_thread(self._file.read)
        self._locale = config.locale
        return config

    async def _update(self, change: Callable[[UserConfig], UserConfig]) -> tuple[UserConfig, UserConfig]:
        async with self._turn:
            before, after = await asyncio.to_thread(self._file.update, change)
        self._locale = after.locale
        return before, after

    def _decision(self, config: UserConfig) -> Decision:
        return modes.decide("override" if config.override_builtin_grep else "additive", self._detection)


def _taken(config: UserConfig) -> UserConfig:
    return msgspec.structs.replace(config, start_metrics_on_next_load=False)


def _sentences(error: SignalGrepError) -> str:
    return f"{error.message}. {error.hint}" if error.hint else f"{error.message}."
