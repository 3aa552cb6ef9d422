"""What stands inside a paragraph: code, emphasis, links, formulas. Written for Doxygen so that nothing is left to its own reading of
Markdown, which differs from a code host's: `--` would become a dash, `**(x)**` would stay, a file's name would become a link.
"""
import html
import re

PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'
# Doxygen 1.9 knows a backslash before these; before the others it would look for a command. Between quotation marks it would not even
# look at the backslash.
ESCAPED = '\\@#$%&<>|*_`[]()+.=!'
# (address "title") behind the text of a link; an address may hold pairs of parentheses
TARGET = re.compile(r'\(\s*(?:<([^<>\n]*)>|([^\s()]*(?:\([^\s()]*\)[^\s()]*)*))(?:\s+"[^"]*")?\s*\)')
SIMPLE_TAGS = ('br', 'sub', 'sup', 'kbd')


def escape(text):
    """Text that Doxygen shows as it is."""
    text = ''.join(f'\\{c}' if c in ESCAPED else c for c in text)
    text = text.replace('"', '&quot;').replace('::', '\\::').replace('~~', '~<span></span>~')
    text = re.sub('-(?=-)|(?<=-)-|^-', r'\\-', text)
    # A percent sign keeps Doxygen from making a link of name(), perhaps to another function of that name; it is not shown.
    return re.sub(r'(?<![\w\\%])(?=(?:\\_|\w)+\\\()', '%', text)


def attribute(text):
    """Text for an attribute between double quotes."""
    return html.escape(html.unescape(text), quote=True)


class Inline:
    """Converts one run of text. `link(url)` says where a link leads, or None; `fail(message)` raises."""

    def __init__(self, text, link, fail):
        self.text, self.link, self.fail = text, link, fail
        self.pieces = []  # strings, and [character, count, can open, can close] for runs of * and _

    def convert(self):
        at = 0
        while at < len(self.text):
            at = self._step(at)
        self._pair_emphasis()
        return ''.join(escape(p[0] * p[1]) if isinstance(p, list) else p for p in self.pieces)

    def _step(self, at):
        """Converts what begins at `at` and returns where it ends."""
        c = self.text[at]
        rest = self.text[at:]
        if c == '\\' and rest[1:2] in PUNCTUATION and len(rest) > 1:
            return self._literal(rest[1], at + 2)
        if c == '\\' and rest[1:2] == '\n':
            return self._put('<br/>', at + 1)
        if c == '$':
            return self._formula(at)
        if c == '`':
            return self._code(at)
        if c == '!' and rest[1:2] == '[':
            self.fail('an image inside a paragraph; it must stand alone, with empty lines around it')
        if c == '[':
            return self._link(at)
        if c == '<':
            return self._tag(at)
        if c == '&' and (entity := re.match(r'&(#\d+|#x[0-9a-fA-F]+|[A-Za-z]\w*);', rest)):
            return self._literal(html.unescape(entity[0]), at + len(entity[0]))
        if c in '*_':
            return self._emphasis(at)
        if rest.startswith(('http://', 'https://')) and not self.text[at - 1:at].isalnum():
            url = re.match(r'[^\s<>]*[^\s<>.,:;!?\'")\]*_]', rest)[0]
            return self._put(f'<a href="{attribute(url)}">{escape(url)}</a>', at + len(url))
        if spaces := re.match(r' {2,}\n', rest):
            return self._put('<br/>', at + len(spaces[0]) - 1)
        plain = re.match(r'[^\\$`!\[<&*_h ]+|.', rest, re.DOTALL)[0]
        return self._literal(plain, at + len(plain))

    def _put(self, piece, end):
        self.pieces.append(piece)
        return end

    def _literal(self, text, end):
        return self._put(escape(text), end)

    def _code(self, at):
        ticks = re.match('`+', self.text[at:])[0]
        code = re.compile(rf'(?<!`){ticks}(?!`)').search(self.text, at + len(ticks))
        if not code:
            return self._literal(ticks, at + len(ticks))
        content = self.text[at + len(ticks):code.start()].replace('\n', ' ')
        if content.strip() and content[0] == content[-1] == ' ':
            content = content[1:-1]
        return self._put(f'<code>{escape(content)}</code>', code.end())

    def _formula(self, at):
        """$...$ as a code host reads it: no blank inside the dollar signs, no letter or digit behind the second. Also $`...`$,
        and $$...$$ within a line."""
        rest = self.text[at:]
        before = self.text[at - 1:at]
        formula = re.match(r'\$\$([^$]+)\$\$', rest)
        if formula:
            return self._put(f'\\f[{formula[1].strip()}\\f]', at + len(formula[0]))
        formula = re.match(r'\$`([^`]+)`\$', rest) or re.match(r'\$((?![\s$])(?:\\.|[^$\\])*?(?<!\s))\$(?!\w)', rest, re.DOTALL)
        if formula and formula[1] and '\n\n' not in formula[1] and not before.isalnum():
            return self._put(f'\\f${formula[1]}\\f$', at + len(formula[0]))
        return self._literal('$', at + 1)

    def _link(self, at):
        close = self._closing_bracket(at)
        target = close and TARGET.match(self.text[close + 1:])
        if not target:
            return self._literal('[', at + 1)
        text = Inline(self.text[at + 1:close], self.link, self.fail).convert()
        url = self.link(target[1] if target[1] is not None else target[2])
        return self._put(text if url is None else f'<a href="{attribute(url)}">{text}</a>', close + 1 + len(target[0]))

    def _closing_bracket(self, at):
        depth = 0
        while at < len(self.text):
            c = self.text[at]
            if c == '\\':
                at += 1
            elif c == '`':
                ticks = re.match('`+', self.text[at:])[0]
                code = re.compile(rf'(?<!`){ticks}(?!`)').search(self.text, at + len(ticks))
                at = code.end() - 1 if code else at + len(ticks) - 1
            elif c == '[':
                depth += 1
            elif c == ']':
                depth -= 1
                if depth == 0:
                    return at
            at += 1
        return None

    def _tag(self, at):
        rest = self.text[at:]
        if comment := re.match(r'<!--.*?-->', rest, re.DOTALL):
            return at + len(comment[0])
        if url := re.match(r'<(https?://[^\s<>]+)>', rest):
            return self._put(f'<a href="{attribute(url[1])}">{escape(url[1])}</a>', at + len(url[0]))
        if tag := re.match(r'</?([a-z]+)\s*/?>', rest):
            if tag[1] not in SIMPLE_TAGS:
                self.fail(f'the HTML tag {tag[0]}; only {", ".join(SIMPLE_TAGS)} are allowed')
            return self._put(tag[0], at + len(tag[0]))
        return self._literal('<', at + 1)

    def _emphasis(self, at):
        run = re.match(r'\*+|_+', self.text[at:])[0]
        before, after = self.text[at - 1:at] or ' ', self.text[at + len(run):at + len(run) + 1] or ' '

        def flanks(inner, outer):
            return not inner.isspace() and (not is_punctuation(inner) or outer.isspace() or is_punctuation(outer))

        left, right = flanks(after, before), flanks(before, after)
        if run[0] == '_':
            left, right = left and (not right or is_punctuation(before)), right and (not left or is_punctuation(after))
        self.pieces.append([run[0], len(run), left, right])
        return at + len(run)

    def _pair_emphasis(self):
        """Closing runs look back for the nearest opening one, as CommonMark says."""
        close = 0
        while close < len(self.pieces):
            run = self.pieces[close]
            opener = self._opener(close) if isinstance(run, list) and run[1] and run[3] else None
            if opener is None:
                close += 1
                continue
            start = self.pieces[opener]
            count = 2 if start[1] >= 2 and run[1] >= 2 else 1
            tag = 'b' if count == 2 else 'em'
            start[1] -= count
            run[1] -= count
            for piece in self.pieces[opener + 1:close]:
                if isinstance(piece, list):
                    piece[2] = piece[3] = False
            self.pieces.insert(close, f'</{tag}>')
            self.pieces.insert(opener + 1, f'<{tag}>')
            close += 2
        self.pieces = [p for p in self.pieces if p != '']

    def _opener(self, close):
        run = self.pieces[close]
        for at in range(close - 1, -1, -1):
            start = self.pieces[at]
            if isinstance(start, list) and start[0] == run[0] and start[1] and start[2]:
                if (start[3] or run[2]) and (start[1] + run[1]) % 3 == 0 and (start[1] % 3 or run[1] % 3):
                    continue
                return at
        return None


def is_punctuation(c):
    return not c.isalnum() and not c.isspace()
