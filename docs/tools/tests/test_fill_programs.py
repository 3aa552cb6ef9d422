"""fill.py: programs, edited programs, machines whose outputs differ, and wrong use."""
import re
import shutil
import subprocess
import unittest
from unittest import mock

from book_fixture import TOOLS, Book
from filler import build_folder, machine, summary


class Programs(Book):
    def test_exit_code_that_nobody_asked_for(self):
        self.program('build/cpu-test/bin/01_first_tests', '#!/bin/sh\nprintf "mistake\\nx\\n"\nexit 3\n')
        self.expect_finding('<!-- tests: .*: 01_first_tests ended with exit code 3, not 0; its last line: "x"')
        self.change(self.chapter, '01_first_tests | from', '01_first_tests | exit 3 from')
        self.expect(0, 'fill')

    def test_signal(self):
        self.program('build/cpu-test/bin/01_first_tests', '#!/bin/sh\nkill -SEGV $$\n')
        self.expect_finding('<!-- tests: .*: 01_first_tests was ended by SIGSEGV')

    def test_program_that_cannot_be_built(self):
        self.change(self.chapter, 'tests: 01_first_tests', 'tests: 01_last_tests')
        self.expect_finding('<!-- tests: .*: building 01_last_tests failed: error: unknown target 01_last_tests')

    def test_no_test_program(self):
        self.change(self.chapter, 'tests: 01_first_tests', 'tests: 01_first')
        self.expect_finding('<!-- tests: .*: 01_first is no test program')

    def test_table_is_the_one_of_run(self):
        rows = [summary.HEAD, ['01_a', 'CPU executor', '12', '0.99', 'success'], ['02_longer', 'host', '-', '-', 'FAILED (exit code 1)']]
        text = (TOOLS.parents[1] / 'run').read_text(encoding='utf-8')
        function = re.search(r'^print_table\(\).*?^}', text, re.MULTILINE | re.DOTALL)[0]
        head = re.search(r"rows=\(\$'([^']*)'\)", text)[1].split('\\t')
        self.assertEqual(head, summary.HEAD)
        words = ['\t'.join(row) for row in rows]
        done = subprocess.run(['bash', '-c', function + '\nprint_table "$@"', 'x', *words], capture_output=True, text=True, check=True)
        self.assertEqual(summary.table(rows), done.stdout.splitlines())


class Edited(Book):
    def setUp(self):
        super().setUp()
        self.folder = self.build / 'edited' / '01_first'

    def no_overlay(self):
        self.assertFalse((self.folder / 'overlay').exists())
        self.assertEqual(list(self.build.glob('edited/programs-*')), [])

    def test_overlay_is_removed(self):
        self.expect(0, 'check')
        self.no_overlay()

    def test_overlay_is_removed_when_the_build_fails(self):
        self.change(self.chapter, 'x + y ==> x - y', 'x + y ==> does not compile')
        said = self.expect(1, 'check')
        self.assertRegex(said, '<!-- try: .*: building 01_first_edited failed: kernels.cuh:1: error: no')
        self.no_overlay()

    def test_overlay_is_removed_on_interruption(self):
        with mock.patch.object(build_folder.BuildFolder, 'build', side_effect=KeyboardInterrupt) as build:
            with self.assertRaises(KeyboardInterrupt):
                self.run_fill('try', '01_first', 'kernels.cuh', 'x + y ==> x')
        build.assert_called_once_with(['01_first_edited'])
        self.no_overlay()

    def test_what_a_killed_one_left_does_not_count(self):
        (self.folder / 'overlay' / 'chapters' / '01_first').mkdir(parents=True)
        (self.folder / 'overlay' / 'chapters' / '01_first' / 'kernels.cuh').write_text('does not compile', encoding='utf-8')
        self.expect(0, 'check')
        self.no_overlay()

    def test_the_wrapper_is_made_newer(self):
        before = (self.folder / 'main_edited.cpp').stat().st_mtime_ns
        self.expect(0, 'check', '--only', 'outputs')
        self.assertGreater((self.folder / 'main_edited.cpp').stat().st_mtime_ns, before)

    def test_same_edit_is_built_once(self):
        self.write('docs/page.md', self.read('docs/page.md') + '\n<!-- try: ../chapters/01_first/kernels.cuh | x + y ==> x - y | '
                   'SIMT_SEED=5 01_first | last 1 -->\n<!-- end try -->\n')
        self.write('build/cpu-test/cmake.log', '')
        self.expect(0, 'fill')
        self.assertIn('```\nseed 5\n```\n', self.read('docs/page.md'))
        self.assertEqual(self.read('build/cpu-test/cmake.log').count('01_first_edited'), 1)

    def test_edit_that_the_checks_do_not_notice(self):
        self.change('tools/cmake', 'exit ${SEED_3_EXIT:-1}; exit 1', 'exit 1; exit 0')
        self.expect_finding('<!-- try: .*: 01_first ended with exit code 0, not 1')

    def test_try_runs_all_orders(self):
        said = self.expect(0, 'try', '01_first', 'kernels.cuh inner', 'x + y ==>')
        self.assertEqual(len(said.splitlines()), 9)
        self.assertIn('01_first, edited, in order: exit code 1: seed none\n', said)
        self.assertIn('01_first, edited, SIMT_SEED=8: exit code 1: seed 8\n', said)
        self.no_overlay()

    def test_try_notices_one_order_that_passes(self):
        with mock.patch.dict('os.environ', SEED_3_EXIT='0'):
            said = self.expect(1, 'try', '01_first', 'kernels.cuh', 'x + y ==>')
        self.assertIn('SIMT_SEED=3: exit code 0 INSTEAD OF 1', said)
        self.assertEqual(said.count('INSTEAD'), 1)
        self.expect(1, 'try', '01_first', 'kernels.cuh', 'x + y ==>', '--exit', '0', '--seeds', '0')

    def test_try_used_wrongly(self):
        self.assertIn('found 0 times', self.expect(2, 'try', '01_first', 'kernels.cuh', 'z ==> y'))
        self.assertIn('there is no chapter 02_x', self.expect(2, 'try', '02_x', 'kernels.cuh', 'x ==> y'))
        self.assertIn('outside of the repository', self.expect(2, 'try', '01_first', '../../../x', 'x ==> y'))
        shutil.rmtree(self.folder)
        self.assertIn('no target 01_first_edited', self.expect(2, 'try', '01_first', 'kernels.cuh', 'x + y ==> y'))


class Traces(Book):
    """Blocks whose programs come from the trace build, a build folder of its own."""

    def setUp(self):
        super().setUp()
        self.trace = 'build/cpu-trace'
        shutil.copytree(self.build, self.root / self.trace)
        self.program(f'{self.trace}/bin/01_first', '#!/bin/sh\necho "counted $*"\n')
        self.write('docs/traced.md', '<!-- output: A=1 trace:01_first --trace | command -->\n<!-- end output -->\n')

    def test_output(self):
        self.assertIn('docs/traced.md:2', self.expect(1, 'check', '--only', 'traces'))
        self.expect(0, 'fill', '--only', 'traces')
        self.assertIn('```\n$ A=1 ./run 01 --trace\ncounted --trace\n```\n', self.read('docs/traced.md'))
        self.expect(0, 'check')

    def test_other_outputs_do_not_need_the_trace_build(self):
        shutil.rmtree(self.root / self.trace)
        self.expect(0, 'check', '--only', 'outputs')

    def test_traces_do_not_need_the_other_build(self):
        self.expect(0, 'fill', '--only', 'traces')
        shutil.rmtree(self.build)
        self.expect(0, 'check', '--only', 'traces')

    def test_edited_program(self):
        self.write('docs/traced.md', '<!-- try: ../chapters/01_first/kernels.cuh | x + y ==> x | SIMT_SEED=4 trace:01_first --trace | last 1 -->\n'
                   '<!-- end try -->\n')
        self.expect(0, 'fill', '--only', 'traces')
        self.assertIn('```\nseed 4\n```\n', self.read('docs/traced.md'))
        self.assertIn('01_first_edited', self.read(f'{self.trace}/cmake.log'))

    def test_the_trace_build_is_configured(self):
        shutil.rmtree(self.root / self.trace)
        with mock.patch.object(build_folder.shutil, 'which', lambda name: '/bin/g++'), \
                mock.patch.object(build_folder.subprocess, 'run') as run:
            self.expect(2, 'check', '--only', 'traces')
        run.assert_called_once()
        self.assertEqual(run.call_args[0][0], ['cmake', '--preset', 'cpu-trace', '-DCMAKE_CXX_COMPILER=/bin/g++'])


class Machines(Book):
    def test_another_machine_is_skipped(self):
        self.change(self.chapter, 'greeting none none', 'greeting none')
        before = self.everything()
        with mock.patch.object(machine, 'this_machine', lambda: 'another one'):
            for words in (('check', '--only', 'outputs'), ('check',), ('fill',)):
                said = self.expect(77, *words)
                self.assertIn('skipped: the outputs were recorded with this machine, this machine has another one', said)
            self.assertEqual(self.everything(), before)
            self.write(self.chapter, self.read(self.chapter).replace('  return x + y;\n', ''))
            self.expect(1, 'check')  # what comes from the sources is checked all the same

    def test_recording_another_machine(self):
        with mock.patch.object(machine, 'this_machine', lambda: 'another one'):
            self.expect(2, 'fill', '--record', self.root / 'README.md')
            self.expect(0, 'fill', '--record')
            self.assertEqual(machine.RECORDED.read_text(encoding='utf-8'), 'another one\n')
            self.expect(0, 'check')
        self.expect(77, 'check')

    def test_builds_that_round_differently(self):
        for flags in ('-O2 -ffast-math', '-march=native', '-O2 -mfma'):
            self.write('build/cpu-test/CMakeCache.txt', f'CMAKE_HOME_DIRECTORY:INTERNAL={self.root}\nCMAKE_BUILD_TYPE:STRING=Release\n'
                       f'CMAKE_CXX_FLAGS_RELEASE:STRING={flags}\n')
            self.assertIn('which may round differently', self.expect(77, 'check', '--only', 'outputs'))

    def test_build_for_gpus(self):
        self.write('build/cpu-test/CMakeCache.txt', f'CMAKE_HOME_DIRECTORY:INTERNAL={self.root}\nROPEWALK_CUDA:BOOL=ON\n')
        self.assertIn('skipped: this build is for GPUs', self.expect(77, 'check', '--only', 'outputs'))

    def test_this_machine_is_described(self):
        mock.patch.stopall()
        self.assertRegex(machine.this_machine(), r'^\S+ \S+, \S+')
        self.assertRegex(machine.recorded_with(), r'^\S+ \S+, \S+')


class Use(Book):
    def test_wrong(self):
        for words, text in (((), 'required'), (('fil',), 'invalid choice'), (('check', '--only', 'x'), 'invalid choice'),
                            (('check', 'nothing.md'), 'nothing.md is no Markdown file'), (('check', '--record'), 'unrecognized'),
                            (('check', self.root / 'chapters/CMakeLists.txt'), 'is no Markdown file'),
                            (('check', TOOLS.parents[1] / 'CONTRIBUTING.md'), 'is outside of'),
                            (('check', '--build', '/nowhere'), '/nowhere is no CMake build folder')):
            with self.subTest(words):
                self.assertIn(text, self.expect(2, *words))

    def test_build_of_something_else(self):
        self.write('build/cpu-test/CMakeCache.txt', 'CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere\n')
        self.assertIn('is a build of /elsewhere', self.expect(2, 'check'))

    def test_one_file(self):
        self.change(self.chapter, 'greeting none none', 'greeting none')
        self.expect(0, 'check', self.root / 'README.md')
        self.expect(1, 'check', self.root / self.chapter)
        self.expect(0, 'fill', self.root / 'docs/page.md')
        self.expect(1, 'check')

    def test_sources_need_no_build(self):
        shutil.rmtree(self.build)
        self.expect(0, 'check', '--only', 'sources')
        self.expect(2, 'check')

    def test_only_outputs_leaves_sources_alone(self):
        self.change(self.chapter, '  return x + y;\n', '')
        self.expect(0, 'check', '--only', 'outputs')
        self.expect(0, 'fill', '--only', 'outputs')
        self.expect(1, 'check', '--only', 'sources')


if __name__ == '__main__':
    unittest.main()
