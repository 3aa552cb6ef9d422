"""A CMake build folder: building in it, and programs built from edited sources."""
import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile

from .problems import Problem, Unusable


class BuildFolder:
    def __init__(self, root, path):
        self.root, self.path = root, path.resolve()
        self.cache = read_cache(self.path)
        source = self.cache.get('CMAKE_HOME_DIRECTORY', '')
        if os.path.realpath(source) != os.path.realpath(root):
            raise Unusable(f'{path} is a build of {source or "something else"}, not of {root}')
        self.bin = self.path / 'bin'
        self.edited = self.path / 'edited'  # see ropewalk_edited_target in cmake/ropewalk_targets.cmake
        self.scratch = None
        self.failed = {}  # program -> why it could not be built
        self.made = {}  # (chapter, file, its text) -> copy of the program built from it

    def __enter__(self):
        self.edited.mkdir(exist_ok=True)
        self.scratch = tempfile.TemporaryDirectory(prefix='programs-', dir=self.edited)
        return self

    def __exit__(self, *_):
        self.scratch.cleanup()

    @contextlib.contextmanager
    def locked(self):
        """Only one at a time builds here: two builds in one folder write the same files."""
        with open(self.edited / '.lock', 'w', encoding='utf-8') as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                print(f'waiting for another build in {self.path}', file=sys.stderr, flush=True)
                fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def build(self, targets):
        """Builds the targets that are not up to date. The end of the log is the error."""
        environment = {key: value for key, value in os.environ.items() if key not in ('MAKEFLAGS', 'MFLAGS', 'MAKELEVEL')}
        command = ['cmake', '--build', str(self.path), '--target', *targets]
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors='replace', check=False)
        if done.returncode != 0:
            lines = done.stdout.strip().splitlines()
            errors = [line for line in lines if 'error:' in line or 'unknown target' in line] or lines[-1:]
            raise Problem(f'building {" ".join(targets)} failed: {errors[0].strip() if errors else "no message"}')

    def build_programs(self, names):
        """Builds these programs of bin/. If one of them fails, program() tells for which ones."""
        if not names:
            return
        with self.locked():
            try:
                self.build(sorted(names))
            except Problem:
                for name in names:
                    try:
                        self.build([name])
                    except Problem as problem:
                        self.failed[name] = problem

    def program(self, name):
        if name in self.failed:
            raise self.failed[name]
        return self.bin / name

    def program_of_edit(self, chapter, file, text):
        """Builds the chapter's program with `text` in the place of `file` (a path in the repository). Returns a copy of it, which
        stays until the end."""
        key = (chapter, file, text)
        if key not in self.made:
            folder = self.edited / chapter
            if not folder.is_dir():
                raise Problem(f'{self.path} has no target {chapter}_edited: there is no such chapter, or ROPEWALK_SCRIPT_TESTS is off')
            with self.locked(), overlay(folder / 'overlay', file, text):
                # No dependency file knows yet of a file that is new in the overlay; so the target's own source is made newer.
                for source in folder.glob('main_edited.c*'):
                    os.utime(source)
                self.build([f'{chapter}_edited'])
                target = os.path.join(self.scratch.name, str(len(self.made)))
                os.mkdir(target)
                self.made[key] = shutil.copy2(folder / 'bin' / chapter, target)
        return self.made[key]


def trace_folder(root):
    """The folder of the trace build. It is configured if it is not there, with the compiler that ./run --trace takes."""
    path = root / 'build' / 'cpu-trace'
    compiler = shutil.which('g++')
    if not (path / 'CMakeCache.txt').is_file() and compiler:
        print('configuring build/cpu-trace', file=sys.stderr, flush=True)
        subprocess.run(['cmake', '--preset', 'cpu-trace', f'-DCMAKE_CXX_COMPILER={compiler}'], cwd=root, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, check=False)
    return path


@contextlib.contextmanager
def overlay(folder, file, text):
    """`text` as overlay/FILE, which comes before the repository on the include path; gone afterwards, whatever happens."""
    shutil.rmtree(folder, ignore_errors=True)  # left by one that was killed
    try:
        path = folder / file
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding='utf-8')
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def read_cache(path):
    try:
        lines = (path / 'CMakeCache.txt').read_text(encoding='utf-8', errors='replace').splitlines()
    except OSError:
        raise Unusable(f'{path} is no CMake build folder; "cmake --preset cpu-test" makes build/cpu-test, '
                       '--build FOLDER names another') from None
    cache = {}
    for line in lines:
        key, equals, value = line.partition('=')
        if equals and not line.startswith(('#', '//')):
            cache[key.partition(':')[0]] = value
    return cache
