"""The site's search. Doxygen's own knows the names of the code and the titles of pages; this adds every heading and every word of the
pages' text, in Doxygen's format, so that its search box finds them too.
"""
import ast
import html
import json
import re
from collections import Counter, defaultdict

from .pages import FENCE, HEADING, SiteError, plain_text

MOST_PLACES = 12  # of one word; the sections where it stands most often


def extend(book, site):
    """Adds the book's headings and words to what Doxygen's search finds under "All"."""
    folder = site / 'search'
    entries = read_entries(folder)
    frames = sorted(folder.glob('all_*.html'))
    if not frames or not entries:
        raise SiteError(f'{folder} is not as Doxygen 1.9.4 writes it')
    template = frames[0].read_text(encoding='utf-8')
    for name, places in words_and_headings(book).items():
        entries.append([name, *places])
    by_letter = defaultdict(list)
    for entry in entries:
        by_letter[html.unescape(entry[0])[0].lower()].append(entry)
    letters = ''.join(sorted(by_letter))
    for file in [*frames, *folder.glob('all_*.js')]:
        file.unlink()
    for number, letter in enumerate(letters):
        write_entries(folder / f'all_{number:x}.js', sorted(by_letter[letter], key=lambda entry: entry[0].lower()))
        page = template.replace(f'"{frames[0].stem}.js"', f'"all_{number:x}.js"')
        (folder / f'all_{number:x}.html').write_text(page, encoding='utf-8')
    guard_parent(folder / 'search.js')
    with (folder / 'search.css').open('a', encoding='utf-8') as style:
        style.write((book.root / 'docs/theme/search.css').read_text(encoding='utf-8'))
    data = folder / 'searchdata.js'
    text, count = re.subn(r'^  0: ".*?",$', lambda _: f'  0: {json.dumps(letters, ensure_ascii=False)},', data.read_text(encoding='utf-8'),
                          count=1, flags=re.MULTILINE)
    if count != 1:
        raise SiteError(f'{data} is not as Doxygen 1.9.4 writes it')
    data.write_text(text, encoding='utf-8')


def guard_parent(file):
    """The results are a frame. Opened from a folder, a frame may not touch the page around it: the links would work, but each would
    leave an error in the console. book.js closes the results instead."""
    text = file.read_text(encoding='utf-8')
    for call in ('parent.searchBox.CloseResultsWindow()', 'parent.document.getElementById("MSearchField").focus()'):
        if call not in text:
            raise SiteError(f'{file} is not as Doxygen 1.9.4 writes it')
        text = text.replace(call, f'try {{ {call} }} catch (outside) {{}}')
    file.write_text(text, encoding='utf-8')


def read_entries(folder):
    """[name, [url, 1, where], ...] of all that Doxygen put under "All"."""
    entries = []
    for file in sorted(folder.glob('all_*.js')):
        listing = file.read_text(encoding='utf-8').split('=', 1)[1].strip().rstrip(';')
        entries += [entry for _, entry in ast.literal_eval(listing)]
    return entries


def write_entries(file, entries):
    lines = []
    for number, entry in enumerate(entries):
        name = html.unescape(entry[0]).lower()
        key = ''.join(c if re.match('[a-z0-9\u0080-\uffff]', c) else f'_{ord(c):02x}' for c in name)
        lines.append(json.dumps([f'{key}_{number}', entry], ensure_ascii=False))
    file.write_text('var searchData=\n[\n' + ',\n'.join(lines) + '\n];\n', encoding='utf-8')


def words_and_headings(book):
    """name -> places [url, 1, where], in the order of the book."""
    headings, words, sections = defaultdict(list), defaultdict(Counter), []
    pages = [page for page in [book.pages.get('docs/index.md')] if page] + book.chapters + book.other_pages
    for page in pages:
        if re.match(r'\d\d ', page.title):
            headings[page.title[3:]].append([f'../{page.html}', 1, html.escape(page.title)])
        for heading, text in section_texts(book, page):
            place = [f'../{page.html}', 1, html.escape(page.title)]
            if heading.level > 1:
                place = [f'../{page.html}#{page.section_id(heading.anchor)}', 1, html.escape(f'{page.title}: {heading.plain}')]
                headings[heading.plain].append(place)
            sections.append(place)
            for word in re.findall(r'[^\W_][\w-]*[^\W_]', text):
                if not word.isnumeric():
                    words[word.lower()][len(sections) - 1] += 1
    found = {html.escape(name): places for name, places in headings.items()}
    known = {name.lower() for name in found}
    for word, counts in words.items():
        # A word of every third section tells nothing: "the", "and".
        if word not in known and len(counts) <= len(sections) / 3:
            best = sorted(number for number, _ in counts.most_common(MOST_PLACES))
            found[html.escape(word)] = [sections[number] for number in best]
    return found


def section_texts(book, page):
    """(heading, text up to the next one) without code blocks, comments, addresses and formulas."""
    lines = book.text(page.path).split('\n')
    starts = [heading.line for heading in page.headings] + [len(lines) + 1]
    for heading, begin, end in zip(page.headings, starts, starts[1:]):
        text, fence = [], ''
        for line in lines[begin:end - 1]:
            mark = FENCE.match(line)
            if fence:
                fence = '' if mark and mark[1].startswith(fence) and line.strip() == mark[1] else fence
            elif mark:
                fence = mark[1]
            elif not HEADING.match(line):
                text.append(line)
        text = re.sub(r'<!--.*?-->|\$\$?[^$]*\$\$?|https?:\S+', ' ', '\n'.join(text), flags=re.DOTALL)
        yield heading, heading.plain + '\n' + plain_text(text)
