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
    failures: Mapping[str, str]
    """What went wrong, by the code of the error or the problem; English is what they say themselves."""
    remedies: Mapping[str, str]
    """What to do about it, by the same codes; without one, what they say themselves."""
    install: str
    install_with: str
    passed_over: str
    settings_refused: str
    setting_is_option: str
    plugin_conflict: str
    detection_failed: str
    stays_additive: str
    metrics_off: str
    metrics_empty: str
    metrics_saved: str
    metrics_cost: str


_CHINESE_FAILURES: Final = {
    "invalid-params": "请求无效：{detail}",
    "rg-missing": "没有可用的 ripgrep：{detail}",
    "rg-failed": "ripgrep 运行失败：{detail}",
    "ctags-missing": "未找到 Universal Ctags：{detail}",
    "ctags-unusable": "Universal Ctags 无法使用：{detail}",
    "cleanup-failed": "进程未能结束：{detail}",
    "path-not-found": "路径不存在或无法读取：{detail}",
    "outside-workspace": "路径不在任何已打开的文件夹内：{detail}",
    "no-workspace": "没有打开的文件夹：{detail}",
    "cursor-unknown": "本次会话中没有这个游标或快照：{detail}",
    "cursor-expired": "快照已失效：{detail}",
    "cursor-mismatch": "游标与请求不符：{detail}",
    "command-disabled": "该命令已在设置中停用：{detail}",
    "store-unavailable": "无法使用文本存储：{detail}",
    "summaries-unavailable": "无法生成摘要：{detail}",
    "entry-not-found": "找不到该条目：{detail}",
    "entry-changed": "该条目已被修改：{detail}",
    "config-invalid": "用户配置文件有误：{detail}",
    "config-unavailable": "无法读写用户配置文件：{detail}",
    "mode-conflict": "未能接管编辑器的 grep：{detail}",
}

_CHINESE_REMEDIES: Final = {
    "cleanup-failed": "请手动结束该进程。",
    "path-not-found": "请检查该路径是否存在以及是否有读取权限。",
    "outside-workspace": "请打开该路径所在的文件夹。",
    "no-workspace": "请打开一个文件夹。",
    "cursor-unknown": "请完整复制游标，或重新搜索。",
    "cursor-expired": "请重新搜索。",
    "cursor-mismatch": "请从快照或摘要的游标重新开始。",
    "config-invalid": "请更正或删除该文件。",
    "config-unavailable": "请检查该文件的权限，然后重试。",
    "mode-conflict": "请移除或停用有冲突的插件并重启编辑器，或使用附加模式。",
}

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
        "sg.context.grep": "Searching stored text",
        "sg.context.navigate": "Outlining",
        "sg.context.read": "Reading stored text",
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
    failures=dict.fromkeys(_CHINESE_FAILURES, "{detail}"),
    remedies={},
    install="Install it, or name its path: --{program} PATH, {variable}, or the option {option}.",
    install_with=(
        "Install it ({commands}), or name its path: --{program} PATH, {variable}, or the option {option}."
    ),
    passed_over="{detail}",
    settings_refused="{detail}. The former settings stay in force.",
    setting_is_option=(
        "{setting}: not taken from here, where a workspace could set it; "
        "it belongs in initializationOptions.{option}"
    ),
    plugin_conflict="{plugin} is installed and answers the editor's grep",
    detection_failed="the editor's plug-ins could not be looked at ({failure})",
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
        "sg.context.grep": "正在搜索存储的文本",
        "sg.context.navigate": "正在生成大纲",
        "sg.context.read": "正在读取存储的文本",
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
    failures=_CHINESE_FAILURES,
    remedies=_CHINESE_REMEDIES,
    install="请安装它，或指定其路径：命令行参数 --{program} PATH、环境变量 {variable} 或选项 {option}。",
    install_with=(
        "请安装它（{commands}），或指定其路径："
        "命令行参数 --{program} PATH、环境变量 {variable} 或选项 {option}。"
    ),
    passed_over="已忽略：{detail}",
    settings_refused="设置有误：{detail}。仍使用之前的设置。",
    setting_is_option=(
        "{setting}：此处的值不会生效，因为工作区也能修改这里；请改用 initializationOptions.{option}"
    ),
    plugin_conflict="已安装的 {plugin} 接管了编辑器的 grep",
    detection_failed="无法检查编辑器的插件（{failure}）",
    stays_additive=(
        "本次会话中 Signal Grep 不会接管编辑器的 grep：{reason}。您的选择已保留，问题解决后将重新生效。"
    ),
    metrics_off="统计已关闭。",
    metrics_empty="统计已开启，尚无数据。",
    metrics_saved=(
        "{searches}，约 {signal:,} 个 token；普通 grep 约 {normal:,} 个，"
        "节省 {difference:,} 个（{percent:.1f}%）。"
    ),
    metrics_cost=(
        "{searches}，约 {signal:,} 个 token；普通 grep 约 {normal:,} 个，"
        "多用 {difference:,} 个（{percent:.1f}%）。"
    ),
)


def failure(messages: Messages, code: str, detail: str, hint: str | None) -> tuple[str, str | None]:
    """What happened and what to do, where a program says `detail` and `hint` about it."""
    return messages.failures[code].format(detail=detail), messages.remedies.get(code, hint)


MESSAGES: Final[Mapping[Locale, Messages]] = {"en": ENGLISH, "zh-CN": CHINESE}


class LocaleParams(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """`sg.locale`."""

    action: Literal["en", "zh-CN", "status"]


class LocaleResult(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of `sg.locale`."""

    locale: Locale
