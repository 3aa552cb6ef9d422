"""Runs Doxygen for a Book, and what must be done before and after it."""
import html
import re
import shutil
import subprocess
import sys
from pathlib import Path

from . import search
from .pages import KEEP_INDENT, SOURCE_SUFFIXES, SiteError

# What MathJax 2 needs to read TeX and draw SVG: 2 MB of its 54.
MATHJAX_PARTS = ('MathJax.js', 'extensions/*.js', 'extensions/TeX/*.js', 'jax/input/TeX/*.js', 'jax/element/mml/**/*.js',
                 'jax/output/SVG/*.js', 'jax/output/SVG/autoload/*.js', 'jax/output/SVG/fonts/TeX/**/*.js')
TOOLS = Path(__file__).resolve().parent.parent
THEME = TOOLS.parent / 'theme'


def build(book, options):
    """Builds the site into options.output; 0, or 1 when Doxygen had something to say."""
    work = options.output.parent / 'doxygen'
    work.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(options.output, ignore_errors=True)
    (work / 'layout.xml').write_text(layout(book, doxygen_default(options, work, '-l', 'default-layout.xml')), encoding='utf-8')
    (work / 'header.html').write_text(header(doxygen_default(options, work, '-w', 'html', 'default-header.html', 'default-footer.html',
                                                             'default.css')), encoding='utf-8')
    (work / 'namespaces.dox').write_text(namespaces(book), encoding='utf-8')
    (work / 'Doxyfile').write_text(options.doxyfile.read_text(encoding='utf-8') + settings(book, options, work), encoding='utf-8')
    if subprocess.run([options.doxygen, work / 'Doxyfile'], cwd=book.root, check=False).returncode != 0:
        return 1
    copy_figures(book, options.output)
    copy_mathjax(options.mathjax, options.output / 'mathjax')
    finish_pages(book, options.output)
    search.extend(book, options.output)
    return 0


def doxygen_default(options, work, *arguments):
    """The text of the first file that `doxygen -l` or `doxygen -w html` writes."""
    subprocess.run([options.doxygen, *arguments], cwd=work, check=True, stdout=subprocess.DEVNULL)
    return (work / next(word for word in arguments if '.' in word)).read_text(encoding='utf-8')


def settings(book, options, work):
    filters = [f'*.md="\'{sys.executable}\' \'{TOOLS / "md_filter.py"}\'"']
    # A test's comments describe no interface: its files have a page with their source, and that is all.
    filters += [f'{files}="sed s,//[/!],//,"' for files in ('*/tests/*', '*/testing/*', '*tests.c*')]
    values = {
        'INPUT': [book.root / path for path in book.pages] + [book.root / 'common', book.root / 'chapters', work / 'namespaces.dox'],
        'EXCLUDE': [book.root / 'build'],
        'FILTER_PATTERNS': filters,
        'STRIP_FROM_PATH': [book.root],
        'LAYOUT_FILE': [work / 'layout.xml'],
        'HTML_HEADER': [work / 'header.html'],
        'HTML_FOOTER': [THEME / 'footer.html'],
        'HTML_EXTRA_FILES': [THEME / 'book.js'],
        'OUTPUT_DIRECTORY': [options.output.parent],
        'HTML_OUTPUT': [options.output.name],
        # The lists of files and classes are all open: closed, they show none of the descriptions they promise.
        'HTML_INDEX_NUM_ENTRIES': [0],
    }
    lines = (f'{name} = ' + ' '.join(str(word) if '="' in str(word) else f'"{word}"' for word in words) for name, words in values.items())
    return '\n' + '\n'.join(lines) + '\n'


def layout(book, default):
    """Doxygen's own layout, with the book first in the sidebar and its reference behind it."""
    def tab(page):
        # Doxygen refuses &#x27;, which html.escape() makes of an apostrophe.
        title = html.escape(page.title, quote=False).replace('"', '&quot;')
        return f'    <tab type="user" url="@ref {page.id}" title="{title}"/>'

    pages = [page for page in book.other_pages if page.path.startswith('docs/') and page.path.count('/') == 1]
    project = [page for page in book.other_pages if page not in pages]
    navigation = ['    <tab type="mainpage" visible="yes" title="Start here"/>', *map(tab, book.chapters + pages)]
    if project:
        navigation += ['    <tab type="usergroup" url="" title="The project">', *map(tab, project), '    </tab>']
    navigation += ['    <tab type="usergroup" url="" title="API reference">',
                   '    <tab type="namespacelist" visible="yes" title="Namespaces" intro=""/>',
                   '    <tab type="classlist" visible="yes" title="Classes" intro=""/>',
                   '    <tab type="filelist" visible="yes" title="Files" intro=""/>', '    </tab>']
    result, count = re.subn(r'(<navindex>).*?(\n\s*</navindex>)', lambda m: m[1] + '\n' + '\n'.join(navigation) + m[2], default,
                            flags=re.DOTALL)
    if count != 1:
        raise SiteError("doxygen -l wrote a layout without <navindex>")
    return result


def header(default):
    """Doxygen's own header, and our script."""
    if '</head>' not in default:
        raise SiteError('doxygen -w html wrote a header without </head>')
    return default.replace('</head>', '<script type="text/javascript" src="$relpath^book.js"></script>\n</head>', 1)


def namespaces(book):
    """Each chapter keeps its code in a namespace of its own; it is documented by a link to the chapter."""
    chapter_of = {}
    for page in book.chapters:
        folder = (book.root / page.path).parent
        for file in sorted(path for path in folder.iterdir() if path.suffix in SOURCE_SUFFIXES):
            for name in re.findall(r'^namespace (ropewalk::\w+) \{', file.read_text(encoding='utf-8'), re.MULTILINE):
                chapter_of.setdefault(name, page)
    texts = [f'/// \\namespace {name}\n/// The code of chapter \\ref {page.id}.\n' for name, page in sorted(chapter_of.items())]
    return (THEME.parent / 'namespaces.dox').read_text(encoding='utf-8') + '\n' + '\n'.join(texts)


def copy_figures(book, site):
    for file in sorted((book.root / 'figures').glob('*.svg')):
        target = site / 'figures' / file.name
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(file, target)


def copy_mathjax(source, target):
    for pattern in MATHJAX_PARTS:
        files = [path for path in source.glob(pattern) if path.is_file()]
        if not files:
            raise SiteError(f'{source} has no {pattern}: MathJax 2 is needed')
        for file in files:
            copy = target / file.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)


def source_pages(root, site):
    """Path in the repository -> name of the page with that file's source. Doxygen's names depend on what else there is."""
    pages = {}
    for page in site.glob('*_source.html'):
        title = re.search(r'<title>[^:]*: (.+) Source File</title>', page.read_text(encoding='utf-8'))
        if title:
            # Doxygen 1.9.4 leaves the whole path where a folder's name is not ASCII.
            pages[title[1].removeprefix(f'{root}/')] = page.name
    return pages


def finish_pages(book, site):
    """Resolves the links that md_filter.py wrote as source:PATH, and gives the contents a shorter title."""
    sources = source_pages(book.root, site)
    for page in book.pages.values():
        file = site / page.html
        text = file.read_text(encoding='utf-8')

        def resolve(match, page=page):
            path, _, line = match[1].partition('#L')
            if path not in sources:
                raise SiteError(f'{page.path}: Doxygen made no page of {path}')
            return f'href="{sources[path]}' + (f'#l{int(line):05d}"' if line else '"')

        text = re.sub(r'href="source:([^"]*)"', resolve, text)
        text = text.replace('<h3>Table of Contents</h3>', '<h3>On this page</h3>', 1).replace(KEEP_INDENT, '')
        file.write_text(text, encoding='utf-8')
