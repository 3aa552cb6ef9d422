"""Where things are in the repository."""
import re

from .problems import Unusable

PAGES = ('*.md', 'chapters/*/*.md', 'common/*/*.md', 'docs/*.md', 'docs/tools/*.md', 'figures/*.md')


class Project:
    def __init__(self, root):
        self.root = root.resolve()

    def pages(self):
        return sorted(path for pattern in PAGES for path in self.root.glob(pattern))

    def chosen_pages(self, names, folder):
        """The pages that the caller named, relative to `folder`, or all of them."""
        if not names:
            return self.pages()
        pages = []
        for name in names:
            path = (folder / name).resolve()
            if path.suffix != '.md' or not path.is_file():
                raise Unusable(f'{name} is no Markdown file')
            if not path.is_relative_to(self.root):
                raise Unusable(f'{name} is outside of {self.root}')
            pages.append(path)
        return pages

    def name(self, path):
        return path.relative_to(self.root).as_posix()

    def chapter_folders(self):
        return sorted(path for path in self.root.glob('chapters/[0-9][0-9]_*') if any(path.glob('*.*')))

    def chapters(self):
        """Names of the chapters that ./run would run."""
        return [path.name for path in self.chapter_folders() if (path / 'CMakeLists.txt').is_file()]

    def is_chapter_page(self, path):
        return path.name == 'README.md' and re.fullmatch(r'chapters/\d\d_[^/]+', self.name(path.parent)) is not None
