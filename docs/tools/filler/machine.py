"""Are outputs of this machine and this build the ones in the pages?

The last digits of an error depend on the C library's sin, cos and pow, on the processor's long double and on whether that library uses
fused multiply-add. So outputs are compared only where these are as they were when the pages were filled: recorded_with.txt."""
import platform
import re
from pathlib import Path

RECORDED = Path(__file__).with_name('recorded_with.txt')
# These let the compiler round differently. (common/ sets -ffp-contract=off itself.)
ROUNDING_FLAGS = re.compile(r'-ffast-math|-Ofast|-funsafe-math\S*|-fassociative-math|-freciprocal-math|-ffinite-math-only'
                            r'|-fno-signed-zeros|-march=\S+|-mtune=native|-mfma\S*|-mfpmath=\S+|-m32|-ffp-contract=\S+|-ffp-model=\S+')


def this_machine():
    library, version = platform.libc_ver()
    if not library:
        library, version = platform.system(), platform.release()
    fused = has_fma(Path('/proc/cpuinfo'))
    return f'{library} {version}, {platform.machine()}{fused}'


def has_fma(cpuinfo):
    if platform.machine() not in ('x86_64', 'AMD64'):
        return ''
    try:
        return ' with fma' if re.search(r'^flags\s*:.*\bfma\b', cpuinfo.read_text(), re.MULTILINE) else ' without fma'
    except OSError:
        return ''


def recorded_with():
    return RECORDED.read_text(encoding='utf-8').strip() if RECORDED.exists() else 'nothing yet'


def why_not_comparable(cache, any_machine=False):
    """Why outputs of the build with this CMake cache cannot be compared with the pages; '' if they can."""
    if cache.get('ROPEWALK_CUDA', 'OFF').upper() in ('ON', '1', 'TRUE', 'YES'):
        return 'this build is for GPUs, the pages show the CPU executor'
    kind = cache.get('CMAKE_BUILD_TYPE', '').upper()
    flags = cache.get('CMAKE_CXX_FLAGS', '') + ' ' + cache.get(f'CMAKE_CXX_FLAGS_{kind}', '')
    match = ROUNDING_FLAGS.search(flags)
    if match:
        return f'this build is compiled with {match[0]}, which may round differently'
    if not any_machine and this_machine() != recorded_with():
        return f'the outputs were recorded with {recorded_with()}, this machine has {this_machine()}'
    return ''
