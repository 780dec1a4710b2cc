from hypothesis import example, given, settings
from hypothesis import strategies as st

from sg_server.text.edits import EditedText
from sg_server.text.positions import Position, PositionEncoding, Range, TextView, units

pieces = st.sampled_from(["a", "é", "😀", "e\u0301", "\t", "\n", "\r\n", "\r", "\u2028", "\x0c", " x "])
texts = st.lists(pieces, max_size=12).map("".join)
positions = st.builds(
    lambda line, character: Position(line=line, character=character), st.integers(0, 4), st.integers(0, 4)
)
changes = st.lists(st.tuples(positions, positions, texts), max_size=6)
encodings: st.SearchStrategy[PositionEncoding] = st.sampled_from(["utf-8", "utf-16", "utf-32"])
views = st.builds(
    lambda encoding, lone: TextView(encoding=encoding, lone_cr_ends_line=lone), encodings, st.booleans()
)


def model_lines(text: str, *, lone_cr: bool) -> list[str]:
    lines, line, index = [], "", 0
    while index < len(text):
        character = text[index]
        index += 1
        line += character
        if character == "\r" and text[index : index + 1] == "\n":
            continue
        if character == "\n" or (character == "\r" and lone_cr):
            lines.append(line)
            line = ""
    return [*lines, line]


def model_offset(text: str, position: Position, view: TextView) -> int:
    lines = model_lines(text, lone_cr=view.lone_cr_ends_line)
    if position.line >= len(lines):
        return len(text)
    line = lines[position.line]
    body = line
    if body.endswith("\r\n"):
        body = body[:-2]
    elif body.endswith("\n") or (body.endswith("\r") and view.lone_cr_ends_line):
        body = body[:-1]
    column = 0
    while column < len(body) and units(body[: column + 1], view.encoding) <= position.character:
        column += 1
    return sum(len(earlier) for earlier in lines[: position.line]) + column


@settings(max_examples=400)
@given(texts, changes, views)
@example("a\rb", [(Position(line=1, character=0), Position(line=1, character=1), "\n")], TextView())
def test_edits_do_what_an_editor_does(
    text: str, edits: list[tuple[Position, Position, str]], view: TextView
) -> None:
    edited = EditedText(text, view)
    # Marks in all lines tell whether it still knows where they begin.
    places = [Position(line=line, character=1) for line in range(10)]
    for one, other, new in [*edits, *((place, place, "|") for place in places)]:
        start, end = sorted((model_offset(text, one, view), model_offset(text, other, view)))
        text = text[:start] + new + text[end:]
        edited.replace(Range(start=one, end=other), new)
        assert edited.text == text


def test_a_position_past_the_text_is_its_end() -> None:
    edited = EditedText("one\ntwo", TextView())
    past_the_line, past_the_text = Position(line=0, character=99), Position(line=9, character=0)
    edited.replace(Range(start=past_the_text, end=past_the_text), "!")
    edited.replace(Range(start=past_the_line, end=past_the_line), "?")
    assert edited.text == "one?\ntwo!"
