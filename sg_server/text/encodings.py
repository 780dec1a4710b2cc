"""From the bytes of a file to the UTF-8 text that ripgrep searches in it."""

import codecs

import webencodings  # type: ignore[import-untyped]

from sg_server.text import legacy

_UTF16_BOMS = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def is_known_label(label: str) -> bool:
    """Whether ripgrep takes `label` for `--encoding`: "auto", "none" or one of the WHATWG Encoding Standard.

    Labels ignore ASCII case and surrounding white space; the two words of ripgrep's own do not. Labels of the
    standard's "replacement" encoding, which decodes nothing, are refused as ripgrep refuses them.
    """
    return label in ("auto", "none") or _encoding_of(label) not in (None, "replacement")


def searched_text(data: bytes, label: str = "auto") -> bytes:
    """What ripgrep searches for `data` under `--encoding LABEL`: UTF-8, perhaps with invalid parts left in.

    "none" leaves the bytes as they are. A UTF-16 BOM overrides every other label; a UTF-8 BOM is dropped and
    overrides none. Under "auto" text without a UTF-16 BOM is not decoded, so invalid UTF-8 stays. Under a
    label of the standard each undecodable part becomes U+FFFD, as far as `legacy.decoded` can tell.

    Raises LookupError when the label is not known.
    """
    if label == "none":
        return data
    for bom, codec in _UTF16_BOMS:
        if data.startswith(bom):
            return _decoded_unicode(data[len(bom) :], codec).encode()
    data = data.removeprefix(codecs.BOM_UTF8)
    if label == "auto":
        return data
    name = _encoding_of(label)
    if name is None:
        raise LookupError(f"unknown encoding label: {label}")
    decoded = _decoded_unicode if name.startswith("utf-") else legacy.decoded
    return decoded(data, name).encode()


def without_lone_surrogates(text: str) -> str:
    """`text` with each lone surrogate as U+FFFD and each pair joined. Its length in UTF-16 units stays."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _encoding_of(label: str) -> str | None:
    """The standard's name of the encoding that has `label`."""
    encoding = webencodings.lookup(label) if label.isascii() else None
    return None if encoding is None else str(encoding.name)


def _decoded_unicode(data: bytes, codec: str) -> str:
    """A decoder of the standard drops a BOM of its own, even after ripgrep has dropped one."""
    return data.decode(codec, "replace").removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
