"""Runs programs, each command once."""
import os
import re
import shlex
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .problems import Problem

TIME_LIMIT = 300  # seconds


@dataclass(frozen=True)
class Command:
    environment: tuple  # of (name, value)
    program: str
    arguments: tuple
    written: str  # the arguments as they were written

    def shown(self):
        """As the reader types it."""
        words = [f'{name}={value}' for name, value in self.environment]
        words += ['./run', self.program[:2], self.written]
        return '$ ' + ' '.join(word for word in words if word)


@dataclass(frozen=True)
class Result:
    code: int
    lines: list
    summary: list  # the row for the table of ./run: chapter, device, checks, worst error, result; empty if it wrote none


def parse_command(text):
    """[NAME=VALUE ...] [trace:]PROGRAM [ARGUMENT ...]"""
    match = re.fullmatch(r'((?:[A-Za-z_]\w*=\S*\s+)*)(?:trace:)?(\w+)(?:\s+(.*))?', text.strip())
    if not match:
        raise Problem(f'"{text}" names no program: it must be "PROGRAM ARGUMENTS", with "NAME=VALUE" before it if need be')
    if not re.fullmatch(r'\d\d_\w+', match[2]):  # any other target, such as clean, would be built too
        raise Problem(f'{match[2]} is no program of a chapter: their names begin with its number')
    environment = tuple(tuple(word.split('=', 1)) for word in match[1].split())
    try:
        arguments = tuple(shlex.split(match[3] or ''))
    except ValueError as error:
        raise Problem(f'command {text}: {error}') from None
    return Command(environment, match[2], arguments, match[3] or '')


class Programs:
    def __init__(self, root):
        self.root = root
        self.results = {}

    def run(self, path, command):
        """Runs the program at `path` in the repository's root. What it writes to stderr comes behind what it writes to stdout."""
        key = (str(path), command.environment, command.arguments)
        if key not in self.results:
            self.results[key] = self.run_anew(path, command)
        return self.results[key]

    def run_anew(self, path, command):
        with tempfile.TemporaryDirectory() as folder:
            summary = Path(folder) / 'summary'
            environment = clean_environment()
            environment['ROPEWALK_SUMMARY'] = str(summary)
            environment.update(command.environment)
            try:
                done = subprocess.run([str(path), *command.arguments], cwd=self.root, env=environment, stdin=subprocess.DEVNULL,
                                      capture_output=True, timeout=TIME_LIMIT, check=False)
            except subprocess.TimeoutExpired:
                raise Problem(f'{command.program} did not end within {TIME_LIMIT} seconds') from None
            except OSError as error:
                raise Problem(f'cannot run {path}: {error.strerror}') from None
            row = summary.read_text(encoding='utf-8').splitlines()[-1].split('\t') if summary.exists() else []
        if done.returncode < 0:
            raise Problem(f'{command.program} was ended by {signal.Signals(-done.returncode).name}')
        text = (done.stdout + done.stderr).decode('utf-8', errors='replace')
        return Result(done.returncode, text.splitlines(), row)


def clean_environment():
    """Nothing that changes what a program of the book prints."""
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith(('ROPEWALK_', 'SIMT_', 'LC_')) and key not in ('LANG', 'LANGUAGE')}
    environment['LC_ALL'] = 'C.UTF-8'
    return environment


def expect_exit(result, command, selection, usual):
    """A page must not show, unnoticed, how a program fails."""
    wanted = usual if selection.exit_code is None else selection.exit_code
    if result.code != wanted:
        said = next((line.strip() for line in reversed(result.lines) if line.strip()), 'nothing')
        raise Problem(f'{command.program} ended with exit code {result.code}, not {wanted}; its last line: "{said}". '
                      f'If that is meant: "exit {result.code}" in the selection')
