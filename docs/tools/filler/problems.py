"""What can be wrong, and how it is said: one line each."""
from dataclasses import dataclass


class Problem(Exception):
    """Something in a page or in a file that it quotes is wrong. The one who knows the page and the line adds them."""


class Unusable(Exception):
    """The filler was called wrongly, or what it needs is not there: exit code 2."""


@dataclass(frozen=True)
class Finding:
    page: str  # relative to the repository root
    line: int  # from 1
    text: str

    def __str__(self):
        return f'{self.page}:{self.line}: {self.text}'
