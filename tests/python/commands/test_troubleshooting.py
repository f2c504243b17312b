import ast
import re

import pytest

import messages
from conftest import ROOT

PAGE = (ROOT / "docs" / "troubleshooting.md").read_text()
OTHERS = "## From the loader"  # what other programs print


def code_texts() -> str:
    """Every text in the code, of the command line and of the library."""
    texts = []
    for path in (ROOT / "python").rglob("*.py"):
        texts += [
            node.value
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
    for path in [*(ROOT / "src").rglob("*.[ch]pp"), *(ROOT / "papers").rglob("*.[ch]pp")]:
        for literals in re.findall(r'(?:"(?:[^"\\]|\\.)*"\s*)+', path.read_text()):
            texts.append("".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals)))
    return "\n".join(texts)


def headings() -> list[str]:
    """The messages that the page explains: what stands in backquotes in its definitions' heads."""
    own = re.sub(rf"{OTHERS}\n.*?(?=^## )", "", PAGE, flags=re.DOTALL | re.MULTILINE)
    terms = re.findall(r"^(`.*)\n: ", own, re.MULTILINE)
    return [
        text
        for term in terms
        if "without `abut:`" not in term
        for text in re.findall(r"`([^`]+)`", term)
    ]


CODE = code_texts()


@pytest.mark.parametrize("message", headings())
def test_what_the_page_explains_is_still_said(message: str) -> None:
    # What differs from time to time is left open, and addresses and calls are filled in.
    said = re.sub(r"^(?:abut: )?(?:ABUT_[\w…]+(?:=…)?|[\w ]+\(0x0\)): ", "", message)
    parts = [part.strip(" '\"") for part in re.split(r"…|: ", said)]
    assert [part for part in parts if part not in CODE] == []


def test_the_page_explains_most_of_what_may_end_a_program() -> None:
    fatal = {m.text for m in messages.library_messages() if m.where == "it is ended"}
    assert len(fatal) > 5
    assert {text for text in fatal if text.strip() not in PAGE} == set()


def test_messages_are_collected_with_what_mends_them() -> None:
    found = list(messages.command_messages())
    assert any(m.text == "…: abut's … is not there" and "pip" in m.fix for m in found)
    assert all(m.where for m in found)
    native = {m.text: m.where for m in messages.library_messages()}
    assert native["this path is too long"] == "it goes on"
    assert native["this block has been freed before"] == "it is ended"
