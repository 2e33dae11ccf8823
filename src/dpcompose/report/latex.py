r"""Statements for a terminal: a light pass from LaTeX to Unicode, so that `$\frac{1}{\alpha}$` reads 1/α."""

from __future__ import annotations

import re
from collections.abc import Callable

SYMBOLS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "varepsilon": "ε", "epsilon": "ε", "zeta": "ζ",
    "eta": "η", "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π",
    "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
    "ell": "ℓ", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ",
    "Psi": "Ψ", "Omega": "Ω",
    "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "approx": "≈", "in": "∈", "to": "→",
    "propto": "∝", "pm": "±", "cdot": "·", "times": "×", "infty": "∞", "sum": "Σ", "prod": "Π", "int": "∫",
    "dots": "…", "ldots": "…", "cdots": "…", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉",
    "|": "‖", "{": "{", "}": "}", "mid": "|", "vert": "|", "cup": "∪", "cap": "∩", "subseteq": "⊆", "setminus": "∖",
    "quad": "  ", "qquad": "  ", " ": " ", ",": " ", ";": " ", ":": " ", "!": "", "\\": " ", "%": "%", "_": "_",
    "left": "", "right": "", "middle": "", "textstyle": "", "displaystyle": "", "limits": "", "big": "", "Big": "",
    "bigl": "", "bigr": "", "Bigl": "", "Bigr": "",
}  # fmt: skip
FUNCTIONS = {"ln", "log", "exp", "min", "max", "inf", "sup", "tanh", "cosh", "sinh", "coth", "Pr"}
WORDS = {"mathrm", "mathbb", "mathcal", "mathbf", "mathit", "text", "operatorname", "textrm", "emph"}
ACCENTS = {"tilde": "\u0303", "hat": "\u0302", "bar": "\u0304", "widetilde": "\u0303", "overline": "\u0304"}
BIG = {"Σ", "Π", "∫", "min", "max", "inf", "sup"}
ABOVE = dict(zip("0123456789+-nic", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿⁱᶜ", strict=True))
BELOW = dict(zip("0123456789+-ijkmnt", "₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₖₘₙₜ", strict=True))
HALVES = {("1", "2"): "½", ("1", "3"): "⅓", ("1", "4"): "¼", ("1", "8"): "⅛"}

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[{}^_&]|\s+|[A-Za-z]|[0-9]+(?:\.[0-9]+)?|.", re.DOTALL)
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(.+?)\$", re.DOTALL)
RELATIONS = set("≤≥=≠≈∈∝→<>")
SILENT = {"\\left", "\\right", "\\!", "\\textstyle"}


def readable(statement: str) -> str:
    """A statement with its formulas in Unicode; a displayed formula gets lines of its own."""

    def formula(found: re.Match[str]) -> str:
        return f"\n    {unicode(found[1])}\n" if found[1] else unicode(found[2])

    joined = re.sub(r"[ \t]*\n[ \t]*", " ", statement)
    lines = re.split(r"\s*\n ?(?=    )|(?<=\S)\n\s*", FORMULA.sub(formula, joined))
    return "\n".join(line.rstrip() for line in lines if line.strip())


def unicode(formula: str) -> str:
    """One formula in Unicode."""
    return re.sub(r" {2,}|(?<=⌊) ", lambda gap: gap[0][1:2], _Formula(formula).until("")).strip()


class _Formula:
    """Reads tokens one by one; each command reads its own arguments."""

    def __init__(self, formula: str) -> None:
        self.tokens, self.at = TOKEN.findall(formula), 0

    def until(self, closing: str, *, tight: bool = False) -> str:
        """Everything up to a closing brace, or to the end; with spaces around relations unless `tight`."""
        pieces: list[str] = []
        while self.at < len(self.tokens):
            token = self.take()
            if token == closing:
                break
            piece = self.piece(token, pieces)
            if piece:
                pieces.append(f" {piece} " if piece in RELATIONS and not tight else piece)
        return "".join(pieces)

    def take(self) -> str:
        self.at += 1
        return str(self.tokens[self.at - 1])

    @property
    def following(self) -> str:
        """The next token that is visible."""
        return next((str(t) for t in self.tokens[self.at :] if t not in SILENT), "")

    def piece(self, sign: str, before: list[str]) -> str:
        """One token, with its arguments and scripts."""
        if sign == "{":
            return self.until("}", tight=True)
        if sign in ("^", "_"):
            return self.script(sign, big=self.is_limit(sign, before))
        if sign.startswith("\\"):
            return self.command(sign[1:], before)
        return " " if sign.isspace() or sign == "&" else sign.replace("}", "")

    @staticmethod
    def is_limit(sign: str, before: list[str]) -> bool:
        """Whether a script is the limit of a sum or of a minimum."""
        if before and before[-1].strip() in BIG:
            return True
        lower = before[-1][0] == "_" or before[-1][0] in BELOW.values() if before else False
        return sign == "^" and len(before) > 1 and before[-2] in BIG and lower

    def argument(self) -> str:
        """The next group, command or character."""
        while self.at < len(self.tokens) and self.tokens[self.at].isspace():
            self.at += 1
        if self.at >= len(self.tokens):
            return ""
        if self.tokens[self.at][0].isdigit() and len(self.tokens[self.at]) > 1:  # \frac12 has two arguments
            first, self.tokens[self.at] = self.tokens[self.at][0], self.tokens[self.at][1:]
            return str(first)
        return self.piece(self.take(), []).strip()

    def script(self, sign: str, *, big: bool) -> str:
        """An exponent or index: raised or lowered characters where Unicode has them, else after its sign."""
        inner = self.argument()
        table = ABOVE if sign == "^" else BELOW
        if inner and all(c in table for c in inner) and not (big and sign == "^"):
            text = "".join(table[c] for c in inner)
        else:
            text = sign + (inner if sign == "_" and inner.isalpha() else grouped(inner, strictly=True))
        apart = self.following not in ("^", "_") if big else sign == "^" and text[0] == "^" and self.letter_follows()
        return text + (" " if apart and text[-1] != " " else "")

    def letter_follows(self) -> bool:
        """Whether the next token begins with a letter, so that a space is needed before it."""
        return self.following[:1].isalpha() or self.following[1:] in SYMBOLS.keys() - {",", " ", "}", ";"}

    def command(self, name: str, before: list[str]) -> str:
        """A command with its arguments."""
        if name in ARGUMENTS:
            return ARGUMENTS[name](self)
        if name in WORDS:
            return self.argument()
        if name in ACCENTS:
            return self.argument() + ACCENTS[name]
        if name in FUNCTIONS:
            space = " " if before and before[-1][-1].isalnum() else ""
            after = "" if self.following in ("(", "[", "^", "_", "{", "\\{", "") else " "
            return f"{space}{name}{after}"
        return SYMBOLS.get(name, name)


def fraction(formula: _Formula) -> str:
    """a/b, in parentheses where needed."""
    top, bottom = formula.argument(), formula.argument()
    space = "" if formula.following in ("", *")]},+-^.") or formula.following.isspace() else " "
    return HALVES.get((top, bottom), f"{grouped(top)}/{grouped(bottom, strictly=True)}") + space


def root(formula: _Formula) -> str:
    """√x, in parentheses where needed."""
    return f"√{grouped(formula.argument(), strictly=True)}" + (" " if formula.letter_follows() else "")


def choose(formula: _Formula) -> str:
    """C(n, k)."""
    return f"C({formula.argument()}, {formula.argument()})"


ARGUMENTS: dict[str, Callable[[_Formula], str]] = {
    "frac": fraction,
    "tfrac": fraction,
    "dfrac": fraction,
    "sqrt": root,
    "binom": choose,
}


ATOM = re.compile(
    r"[^\W\d_]?[\u0300-\u036f₀-₉ᵢⱼₖₘₙₜ⁰-⁹²³¹'!]*(\^\w|\^?•)?"  # a letter with its marks, perhaps to a power
    r"|[0-9.]+|[a-z]+²?•|[Σ√]\w[ᵢⱼ²]*"  # a number, a function of something, a sum or root of a letter
)
PRODUCT = re.compile(r"[^-+/=<> ]+")


def grouped(text: str, *, strictly: bool = False) -> str:
    """The text, in parentheses unless it is a unit; a product counts as a unit unless `strictly`."""
    pattern = ATOM if strictly else PRODUCT
    return text if text and pattern.fullmatch(outside_brackets(text)) else f"({text})"


def outside_brackets(text: str) -> str:
    """The text with every outermost pair of parentheses replaced by a dot."""
    shown, depth = [], 0
    for c in text:
        depth += c in "([{"
        if not depth:
            shown.append(c)
        depth -= c in ")]}"
        if c in ")]}" and not depth:
            shown.append("•")
    return "".join(shown)
