#!/usr/bin/env python3
"""Test of the built site in a browser, opened from the folder: sidebar, text, figures, formulas, search, links, width.

usage: site_browser.py REPOSITORY SITE SCREENSHOTS

Exit codes: 0 all is well, 1 it is not, 77 there is no browser or no selenium.
"""
import re
import sys
import time
from pathlib import Path

from browser import Browser, Missing, skip

DESKTOP, WIDE, PHONE = (1280, 900), (1520, 900), (400, 800)
COLUMNS = 110  # of a line of code, at most: as .clang-format says

HEADINGS = """const all = '.headertitle .title, .contents .textblock h1, .contents .textblock h2, .contents .textblock h3';
  return [...document.querySelectorAll(all)].filter(h => !h.closest('.toc')).map(h => h.textContent.trim())"""
SIDEBAR = "return [...document.querySelectorAll('#nav-tree-contents .label a')].map(a => a.textContent.trim())"
MENU = "return [...document.querySelectorAll('#main-menu a')].map(a => a.textContent.trim())"
# What a reader sees of the text, without code and without formulas.
PROSE = """const copy = document.querySelector('.contents').cloneNode(true);
  copy.querySelectorAll('.fragment, code, script, [class^=MathJax], .toc').forEach(e => e.remove()); return copy.textContent"""
FIGURES = """return [...document.querySelectorAll('.figure img')].map(
  i => [i.getAttribute('src'), i.complete && i.naturalWidth, i.width, i.alt])"""
FORMULAS = """const drawn = [...document.querySelectorAll('.MathJax_SVG svg')];
  return [document.querySelectorAll('script[type^="math/tex"]').length, drawn.filter(s => s.getBoundingClientRect().width > 4).length,
          MathJax.Hub.getAllJax().filter(formula => formula.texError).length]"""
# Code of at most so many columns and tables that are wider than the room they have.
CUT = """const columns = code => Math.max(...[...code.querySelectorAll('.line')].map(line => line.textContent.length));
  return [...document.querySelectorAll('.contents .fragment, .contents table.markdownTable, .contents table.markdownTable tbody')].filter(
    e => e.scrollWidth > e.clientWidth && !(e.matches('.fragment') && columns(e) > arguments[0])).map(e => e.textContent.trim().slice(0, 40))"""
RAW = ('\\f$', '\\f[', '$', '\\(', '\\[', '<!--', '-->', '[TOC]', '[!', '{#', '~~~', '```', '**')


def count_in(text):
    """Blocks of code and figures of a Markdown text; formulas are counted by site_text.py."""
    fences = re.findall(r'^\s*(?:```|~~~)(?!math)\S*\n', re.sub(r'^\s*```math\n.*?\n\s*```\n', '', text, flags=re.M | re.S), re.M)
    return len(fences) // 2, len(re.findall(r'^!\[', text, re.M))


def check_page(browser, book, page):
    text = book.text(page.path)
    browser.size(*DESKTOP)
    browser.open(page.html)
    headings = browser.run(HEADINGS)
    expected = [heading.plain for heading in page.headings if heading.level <= 4]
    browser.check(headings == expected, f'has the headings {headings}, expected {expected}')
    blocks, figures = count_in(text)
    shown = browser.run("return document.querySelectorAll('.contents .fragment').length")
    browser.check(shown >= blocks, f'shows {shown} blocks of code, expected {blocks}')
    check_figures(browser, figures)
    formulas, drawn, errors = browser.run(FORMULAS)
    browser.check(formulas == drawn and not errors, f'has {formulas} formulas, {drawn} were drawn, {errors} have an error')
    prose = browser.run(PROSE)
    literal = re.sub(r'\\\$', 'escaped', text)
    for mark in RAW:
        if mark != '$' or 'escaped' not in literal:
            browser.check(mark not in prose, f'shows a raw {mark}: ...{prose[max(0, prose.find(mark) - 30):][:60]!r}')
    browser.check_width()
    check_nothing_cut(browser)
    browser.screenshot()
    browser.size(*WIDE)
    browser.wait(f'window.innerWidth == {WIDE[0]}')
    browser.check_width()
    check_nothing_cut(browser)
    browser.size(*PHONE)
    browser.wait('window.innerWidth == 400')
    check_figures(browser, figures)
    browser.check_width()
    browser.screenshot()
    browser.check_logs()
    return formulas


def check_nothing_cut(browser):
    """On a desktop, code and tables are read without scrolling sideways."""
    cut = browser.run(CUT, COLUMNS)
    browser.check(not cut, f'must be scrolled sideways: {cut[:3]}')


def check_figures(browser, expected):
    figures = browser.run(FIGURES)
    browser.check(len(figures) == expected, f'shows {len(figures)} figures, expected {expected}')
    for source, natural, width, alternative in figures:
        browser.check(natural, f'{source} was not loaded')
        browser.check(470 <= width <= 740, f'{source} is {width} px wide')
        browser.check(alternative, f'{source} has no alternative text')


def check_sidebar(browser, book):
    """The chapters stand in order, with their titles, on a desktop in the sidebar and on a phone in the menu."""
    titles = [page.title for page in book.chapters]
    browser.size(*DESKTOP)
    browser.open('index.html')
    browser.check(browser.wait("document.querySelectorAll('#nav-tree-contents .label a').length > 3"), 'the sidebar stays empty')
    sidebar = browser.run(SIDEBAR)
    browser.check([title for title in sidebar if title in titles] == titles, f'has the sidebar {sidebar}, expected {titles} in it')
    for name in ('API reference', *(page.title for page in book.other_pages if page.path.count('/') == 1)):
        browser.check(name in sidebar, f'{name} is not in the sidebar')
    for page in book.chapters:
        browser.open(page.html)
        selected = "(document.querySelector('#nav-tree-contents .selected .label a') || {}).textContent"
        browser.check(browser.wait(f'({selected} || "").trim() == {page.title!r}'), 'is not marked in the sidebar')
    browser.size(*PHONE)
    browser.open('index.html')
    menu = browser.run(MENU)
    browser.check([title for title in menu if title in titles] == titles, f'has the menu {menu}, expected {titles} in it')
    hidden = browser.run("return document.getElementById('main-menu').offsetHeight")
    browser.run("document.querySelector('.main-menu-btn').click()")
    open_menu = "document.getElementById('main-menu').offsetHeight > 100"
    browser.check(hidden == 0 and browser.wait(open_menu), f'the menu does not open; it is {hidden} px high while closed')
    browser.check_logs()


def search(browser, text):
    """The results as [name, [addresses]]."""
    browser.run("""const field = document.getElementById('MSearchField'); field.focus(); searchBox.OnSearchFieldFocus(true);
      field.value = arguments[0]; searchBox.Search()""", text)
    browser.wait("document.getElementById('MSearchResultsWindow').style.display == 'block'")
    browser.driver.switch_to.frame('MSearchResults')
    results = []
    try:
        for _ in range(100):
            results = browser.run("""if (!location.pathname.includes('/search/') || !document.getElementById('NoMatches')) return null;
              if (decodeURIComponent(location.search.slice(1)) != arguments[0] && !location.pathname.includes('nomatches')) return null;
              return [...document.querySelectorAll('.SRResult')].filter(r => r.style.display == 'block').map(r =>
                [r.querySelector('.SRSymbol').textContent, [...r.querySelectorAll('a')].map(a => a.getAttribute('href'))])""", text)
            if results is not None:
                return results
            time.sleep(0.05)
        return []
    finally:
        browser.driver.switch_to.default_content()


def kernels(book):
    for page in book.chapters:
        file = (book.root / page.path).parent / 'kernels.cuh'
        if file.is_file():
            yield from re.findall(r'__global__\s+(?:__launch_bounds__\([^)]*\)\s*)?void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)', file.read_text(encoding='utf-8'))


def check_search(browser, book):
    browser.size(*DESKTOP)
    browser.open('index.html')
    wanted = [(page.title, page.html) for page in book.chapters]
    wanted += [(re.sub(r'^\d\d ', '', page.title), page.html) for page in book.chapters]
    wanted += [(page.headings[1].plain, f'{page.html}#') for page in book.chapters] + [('sector', book.chapters[0].html[:2])]
    found_kernels = list(kernels(book))
    browser.check(found_kernels, 'no chapter has a kernel to search for')
    wanted += [(name, name) for name in found_kernels]
    for text, expected in wanted:
        results = search(browser, text)
        if text == expected:
            holds = any(name.lower() == text.lower() for name, _ in results)
        else:
            holds = any(expected in address for _, addresses in results for address in addresses if address)
        browser.check(holds, f'a search for {text!r} finds {[name for name, _ in results][:5]}, expected {expected}')
    browser.check(search(browser, 'qqqqq') == [], 'a search for nonsense finds something')
    # The result is a link that works.
    search(browser, found_kernels[0] if found_kernels else '')
    browser.driver.switch_to.frame('MSearchResults')
    link = browser.run("""const a = [...document.querySelectorAll('.SRResult')].find(r => r.style.display == 'block').querySelector('a[target]');
      const href = a.getAttribute('href'); a.click(); return href""")
    browser.driver.switch_to.default_content()
    name = link.removeprefix('../').split('#')[0]
    browser.check(browser.wait(f'location.pathname.endsWith({name!r})'), f'a click on a result does not lead to {name}')
    browser.check_logs()


def check_links(browser, book):
    """From each chapter to the next page that its text links to, by a click."""
    followed = 0
    for page in book.chapters:
        browser.open(page.html)
        target = browser.run("""const links = [...document.querySelectorAll('.textblock a')].filter(a => !a.closest('.toc'));
          const link = links.find(a => /^ch\\d\\d\\.html/.test(a.getAttribute('href') || '')); if (!link) return '';
          const href = link.getAttribute('href'); link.click(); return href""")
        if target:
            followed += 1
            title = next(other.title for other in book.chapters if other.html == target.split('#')[0])
            arrived = f"((document.querySelector('.headertitle .title') || {{}}).textContent || '').trim() == {title!r}"
            browser.check(browser.wait(arrived), f'the link to {target} does not lead to {title}')
    browser.check(followed or len(book.chapters) < 2, 'no chapter has a link to another')
    browser.check_logs()


def main(repository, site, screenshots):
    sys.path.insert(0, str(Path(repository) / 'docs/tools'))
    from book.pages import Book
    book = Book(repository)
    screenshots = Path(screenshots)
    screenshots.mkdir(parents=True, exist_ok=True)
    for old in screenshots.glob('*.png'):
        old.unlink()
    try:
        browser = Browser(Path(site).resolve(), screenshots)
    except Missing as missing:
        skip(missing)
    try:
        formulas = sum(check_page(browser, book, page) for page in book.pages.values())
        browser.check(formulas, 'no page has a formula')
        check_sidebar(browser, book)
        check_search(browser, book)
        check_links(browser, book)
        for reference in ('namespaceropewalk.html', 'annotated.html', 'files.html'):
            browser.size(*DESKTOP)
            browser.open(reference)
            browser.check_width()
            browser.screenshot()
            browser.size(*PHONE)
            browser.check_width()
            browser.screenshot()
        browser.check_logs()
    finally:
        browser.close()
    print('\n'.join(browser.problems[:60]))
    print(f'{len(book.pages)} pages, {browser.checks} checks, {browser.requests} files loaded, {formulas} formulas, '
          f'{len(browser.problems)} problems; screenshots in {screenshots}')
    return 1 if browser.problems or not browser.checks or not browser.requests else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
