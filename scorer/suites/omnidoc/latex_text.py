"""LaTeX as plain text, as pylatexenc writes it, in linear time.

Three things of the library go differently here, all without a trace in what comes out: its tables of commands are built
once, not for every formula; plain characters, and groups of them, are read and written run by run, not one by one, each
with a copy of all before it; and formulas that differ in their plain scripts alone are converted once.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from pylatexenc import latex2text, latexwalker

__all__ = ["latex_to_text"]

_PLAIN = r"[^\s\\{}\[\]()<>$%&~#`'!?\-]|-(?!-)|'(?!')|`(?!`)|[!?](?!`)"
_PLAIN_RUN = rf"(?>(?:{_PLAIN})(?:{_PLAIN}| +(?:{_PLAIN}))*)"
_RUN = re.compile(_PLAIN_RUN)
"""Characters that open nothing in LaTeX, neither commands nor groups nor ligatures, and the blanks between them."""
_GROUP = re.compile(rf"\{{({_PLAIN_RUN})?\}}")
_RUNS_AND_GROUPS = re.compile(rf"(?:{_PLAIN_RUN}|\{{(?:{_PLAIN_RUN})?\}})+")
_SCRIPT_OR_COMMAND = re.compile(rf"[_^]\{{({_PLAIN_RUN})\}}|\\[a-zA-Z]+|\\.|[{{}}]", re.DOTALL)
_NO_SKELETON = re.compile(r"\\begin(?![a-zA-Z])|[\[$%]|[\U000f0000-\U0010ffff]")
"""Where what stands in a script may tell how it is written, or whether it is; and characters that stand for scripts."""
_STAND_IN, _MOST_SCRIPTS = 0xF0000, 0xFFFF
_STAND_INS = re.compile(r"([\U000f0000-\U000fffff])")


@lru_cache(maxsize=4096)
def latex_to_text(latex: str) -> str:
    """Convert LaTeX as pylatexenc does, whose releases 2.11 and 3.0a30 agree on all recorded cases."""
    if _RUNS_AND_GROUPS.fullmatch(latex):  # half of all formulas, and a hundredth of the time
        return latex.replace("{", "").replace("}", "")
    skeleton, scripts = _skeleton(latex)
    template = _template(skeleton, len(scripts)) if scripts else None
    if template is None:
        return _converted(latex)
    return template[0] + "".join(scripts[number] + behind for number, behind in template[1])


def _skeleton(latex: str) -> tuple[str, list[str]]:
    """Put a character in the place of every plain script outside of groups, and return what stood there."""
    if _NO_SKELETON.search(latex):
        return latex, []
    parts: list[str] = []
    scripts: list[str] = []
    done = depth = 0
    for token in _SCRIPT_OR_COMMAND.finditer(latex):
        if token[1] is None:
            depth += (token[0] == "{") - (token[0] == "}")
        elif depth == 0 and len(scripts) < _MOST_SCRIPTS:
            parts += [latex[done : token.start(1)], chr(_STAND_IN + len(scripts))]
            scripts.append(token[1])
            done = token.end(1)
    return "".join([*parts, latex[done:]]), scripts


@lru_cache(maxsize=4096)
def _template(skeleton: str, scripts: int) -> tuple[str, tuple[tuple[int, str], ...]] | None:
    """Convert a formula without its scripts: a text, then the number of each script and the text behind it.

    None where a script is not written once, or the formula cannot be converted.
    """
    try:
        first, *others = _STAND_INS.split(_converted(skeleton))
    except Exception:
        return None
    numbers = [ord(mark) - _STAND_IN for mark in others[::2]]
    return (first, tuple(zip(numbers, others[1::2], strict=True))) if sorted(numbers) == [*range(scripts)] else None


def _converted(latex: str) -> str:
    commands, texts = _contexts()
    nodes = _Walker(latex, latex_context=commands).get_latex_nodes()[0]
    return _Writer(latex_context=texts).nodelist_to_text(nodes)


@cache
def _contexts() -> tuple[Any, Any]:
    """Return what pylatexenc knows of each command: how it is read, and how it is written."""
    return latexwalker.get_default_latex_context_db(), latex2text.get_default_latex_context_db()


class _Walker(latexwalker.LatexWalker):  # type: ignore[misc]
    def get_token(self, pos: int, *arguments: Any, **options: Any) -> Any:
        """Read a run of plain characters as one token where a list of nodes is read; an argument is one character."""
        if "include_brace_chars" in options and options.get("environments", True) and (run := _RUN.match(self.s, pos)):
            return latexwalker.LatexToken(tok="char", arg=run[0], pos=pos, len=len(run[0]), pre_space="")
        return super().get_token(pos, *arguments, **options)

    def get_latex_braced_group(self, pos: int, brace_type: Any = "{", parsing_state: Any = None) -> Any:
        """Read a group of nothing but a run at once."""
        group = _GROUP.match(self.s, pos) if brace_type == "{" and parsing_state is not None else None
        if group is None:
            return super().get_latex_braced_group(pos, brace_type, parsing_state)
        place = {"parsing_state": parsing_state, "pos": pos, "len": len(group[0])}
        run = {**place, "pos": pos + 1, "len": len(group[1] or "")}
        nodes = [self.make_node(latexwalker.LatexCharsNode, chars=group[1], **run)] if group[1] else []
        node = self.make_node(latexwalker.LatexGroupNode, nodelist=nodes, delimiters=("{", "}"), **place)
        return node, pos, len(group[0])


class _Writer(latex2text.LatexNodes2Text):  # type: ignore[misc]
    def nodelist_to_text(self, nodelist: Sequence[Any]) -> str:
        """Join the texts of the nodes; the blanks behind a bare command stay if characters follow."""
        parts: list[str] = []
        before: Any = None
        for node in nodelist:
            spaced = self._is_bare_macro_node(before) and node.isNodeType(latexwalker.LatexCharsNode)
            if spaced and not self.strict_latex_spaces["between-macro-and-chars"]:
                parts.append(before.macro_post_space)
            parts.append(self.node_to_text(node))
            before = node
        return "".join(parts)
