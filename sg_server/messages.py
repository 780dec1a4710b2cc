"""What people read from the server, in each language. What models and programs read is never in here.

A message is a template of `str.format`; a test holds its placeholders to be the same in every language.
"""

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

Locale = Literal["en", "zh-CN"]


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """A noun with its number."""

    one: str
    many: str

    def __call__(self, count: int) -> str:
        """`1 file`, `1,200 files`."""
        return (self.one if count == 1 else self.many).format(count=count)


class Messages(msgspec.Struct, frozen=True, kw_only=True):
    """Every message, in one language."""

    titles: Mapping[str, str]
    """What an editor shows while something runs, by the command's id or the method."""
    match: Counted
    file: Counted
    search: Counted
    found: str
    settings_refused: str
    setting_is_option: str
    plugin_conflict: str
    detection_failed: str
    override_refused: str
    stays_additive: str
    metrics_off: str
    metrics_empty: str
    metrics_saved: str
    metrics_cost: str


ENGLISH: Final = Messages(
    titles={
        "sg.search": "Searching",
        "sg.page": "Reading a page",
        "sg.inspect": "Reading source",
        "sg.explain": "Asking ripgrep",
        "sg.clear": "Clearing",
        "sg.health": "Examining",
        "sg.metrics": "Counting",
        "sg.mode": "Setting the mode",
        "sg.locale": "Setting the language",
        "sg.context.put": "Storing",
        "sg.context.get": "Reading stored text",
        "sg.context.list": "Listing stored text",
        "sg.context.delete": "Deleting stored text",
        "workspace/symbol": "Looking for symbols",
    },
    match=Counted(one="{count:,} match", many="{count:,} matches"),
    file=Counted(one="{count:,} file", many="{count:,} files"),
    search=Counted(one="{count:,} search", many="{count:,} searches"),
    found="{matches} in {files}",
    settings_refused="{problem}. The former settings stay in force.",
    setting_is_option=(
        "{setting}: not taken from here, where a workspace could set it; "
        "it belongs in initializationOptions.{option}"
    ),
    plugin_conflict="{plugin} is installed and answers the editor's grep",
    detection_failed="the editor's plug-ins could not be looked at ({failure})",
    override_refused="The editor's grep cannot be taken over: {reason}.",
    stays_additive=(
        "Signal Grep leaves the editor's grep alone in this session: {reason}. "
        "Your choice is kept, and holds again once that has changed."
    ),
    metrics_off="Metrics are off.",
    metrics_empty="Metrics are on; nothing has been counted yet.",
    metrics_saved=(
        "{searches}: about {signal:,} tokens instead of {normal:,}, {difference:,} saved ({percent:.1f} %)."
    ),
    metrics_cost=(
        "{searches}: about {signal:,} tokens instead of {normal:,}, {difference:,} more ({percent:.1f} %)."
    ),
)

CHINESE: Final = Messages(
    titles={
        "sg.search": "正在搜索",
        "sg.page": "正在读取结果页",
        "sg.inspect": "正在读取源代码",
        "sg.explain": "正在查询 ripgrep",
        "sg.clear": "正在清除",
        "sg.health": "正在检查",
        "sg.metrics": "正在统计",
        "sg.mode": "正在设置模式",
        "sg.locale": "正在设置语言",
        "sg.context.put": "正在存储",
        "sg.context.get": "正在读取存储的文本",
        "sg.context.list": "正在列出存储的文本",
        "sg.context.delete": "正在删除存储的文本",
        "workspace/symbol": "正在查找符号",
    },
    match=Counted(one="{count:,} 处匹配", many="{count:,} 处匹配"),
    file=Counted(one="{count:,} 个文件", many="{count:,} 个文件"),
    search=Counted(one="{count:,} 次搜索", many="{count:,} 次搜索"),
    found="在 {files}中找到 {matches}",
    settings_refused="{problem}。仍使用之前的设置。",
    setting_is_option=(
        "{setting}：此处的值不会生效，因为工作区也能修改这里；请改用 initializationOptions.{option}"
    ),
    plugin_conflict="已安装的 {plugin} 接管了编辑器的 grep",
    detection_failed="无法检查编辑器的插件（{failure}）",
    override_refused="无法接管编辑器的 grep：{reason}。",
    stays_additive=(
        "本次会话中 Signal Grep 不会接管编辑器的 grep：{reason}。您的选择已保留，问题解决后将重新生效。"
    ),
    metrics_off="统计已关闭。",
    metrics_empty="统计已开启，尚无数据。",
    metrics_saved=(
        "{searches}：约 {signal:,} 个 token，而非 {normal:,} 个，节省 {difference:,} 个（{percent:.1f}%）。"
    ),
    metrics_cost=(
        "{searches}：约 {signal:,} 个 token，而非 {normal:,} 个，多用 {difference:,} 个（{percent:.1f}%）。"
    ),
)

MESSAGES: Final[Mapping[Locale, Messages]] = {"en": ENGLISH, "zh-CN": CHINESE}


class LocaleParams(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """`sg.locale`."""

    action: Literal["en", "zh-CN", "status"]


class LocaleResult(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of `sg.locale`."""

    locale: Locale
