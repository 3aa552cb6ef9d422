#!/usr/bin/env python3
"""Test of the built site: every link leads to something that is there, and nothing is loaded from the web.

usage: site_links.py REPOSITORY SITE
"""
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

WEB = ('http://', 'https://', '//')


class Page(HTMLParser):
    """The anchors of a page, and its links as (tag, attribute, address, line)."""

    def __init__(self, file):
        super().__init__()
        self.anchors, self.links = set(), []
        self.feed(file.read_text(encoding='utf-8'))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ('id', 'name') and value:
                self.anchors.add(value)
            if name in ('href', 'src', 'srcset', 'data', 'poster') and value:
                self.links.append((tag, name, value, self.getpos()[0]))

    handle_startendtag = handle_starttag


def wrong_links(site, names):
    """One line for each link of the HTML pages that is wrong, and the number of links looked at."""
    pages, problems, count = {name: Page(site / name) for name in names}, [], 0
    for name, page in pages.items():
        for tag, attribute, address, line in page.links:
            count += 1
            place = f'{name}:{line}: <{tag} {attribute}="{address}">'
            if address.startswith(WEB):
                if tag != 'a':
                    problems.append(f'{place} would be loaded from the web')
                continue
            if address.startswith(('javascript:', 'mailto:')):
                continue
            url = urlsplit(address)
            if url.scheme:
                problems.append(f'{place} is neither a file nor a web page')
                continue
            target = (site / name).parent / unquote(url.path) if url.path else site / name
            target = target.resolve()
            if not target.is_file():
                problems.append(f'{place} leads to nothing')
            elif site not in target.parents:
                problems.append(f'{place} leaves the site')
            elif url.fragment and target.suffix == '.html':
                other = pages.get(target.relative_to(site).as_posix())
                if other is None or unquote(url.fragment) not in other.anchors:
                    problems.append(f'{place}: there is no such anchor')
    return problems, count


def wrong_styles(site):
    """Style sheets and figures that would load something from the web, or something that is not there."""
    problems = []
    for file in [*site.rglob('*.css'), *site.glob('figures/*.svg')]:
        text = re.sub(r'/\*.*?\*/|<!--.*?-->', '', file.read_text(encoding='utf-8'), flags=re.DOTALL)
        for address in re.findall(r'url\(\s*["\']?([^"\')]+)', text) + re.findall(r'@import\s+["\']([^"\']+)', text):
            if address.startswith(WEB):
                problems.append(f'{file.relative_to(site)}: {address} would be loaded from the web')
            elif not address.startswith(('data:', '#')) and not (file.parent / address.split('#')[0].split('?')[0]).is_file():
                problems.append(f'{file.relative_to(site)}: there is no {address}')
        for address in re.findall(r'(?:href|src)="([^"]+)"', text):
            if file.suffix == '.svg' and not address.startswith(('#', 'data:')):
                problems.append(f'{file.relative_to(site)}: {address} would be loaded')
    return problems


def wrong_searches(site, names):
    """Results of the search that lead to nothing."""
    anchors, problems, count = {}, [], 0
    for file in site.glob('search/all_*.js'):
        for address in re.findall(r'"\.\./([^"]+)"', file.read_text(encoding='utf-8')):
            count += 1
            name, _, anchor = address.partition('#')
            if name not in anchors:
                anchors[name] = Page(site / name).anchors if name in names else None
            if anchors[name] is None or (anchor and anchor not in anchors[name]):
                problems.append(f'search/{file.name}: {address} leads to nothing')
    return problems, count


def main(repository, site):
    sys.path.insert(0, str(Path(repository) / 'docs/tools'))
    from book.pages import Book
    site = Path(site).resolve()
    names = sorted(path.relative_to(site).as_posix() for path in site.glob('*.html'))
    missing = [page.html for page in Book(repository).pages.values() if page.html not in names]
    links, count = wrong_links(site, names)
    searches, results = wrong_searches(site, names)
    problems = [f'{name} is missing' for name in missing] + links + wrong_styles(site) + searches
    print('\n'.join(problems[:50]))
    print(f'{len(names)} pages, {count} links, {results} results of the search, {len(problems)} wrong')
    return 1 if problems or not count or not results else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
