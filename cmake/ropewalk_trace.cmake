# The trace build (preset cpu-trace): the compiler calls the tracer of common/simt/trace before each memory access of a kernel.

if(ROPEWALK_TRACE AND ROPEWALK_CUDA)
  message(FATAL_ERROR "ROPEWALK_TRACE counts on the CPU executor; it does not go with ROPEWALK_CUDA")
endif()
if(ROPEWALK_TRACE AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  message(FATAL_ERROR "ROPEWALK_TRACE needs g++: clang turns the copy of a vector into a call of memcpy, which nobody sees. "
                      "Name one with -DCMAKE_CXX_COMPILER=g++")
endif()

# The trace build has tests of its own instead of all the others: ROPEWALK_TRACE_TESTS, where Catch2 is found.
set(ROPEWALK_TRACE_TESTS OFF)
if(ROPEWALK_TRACE)
  find_path(ROPEWALK_CATCH2_INCLUDE NAMES catch2/catch.hpp catch2/catch_all.hpp)
  if(ROPEWALK_CATCH2_INCLUDE)
    set(ROPEWALK_TRACE_TESTS ON)
  endif()
endif()

# What the translation units of kernels are compiled with, so that a thread's accesses are those that a GPU makes:
#   -fsanitize=thread     the calls; ThreadSanitizer's own library is not linked
#   -O1                   without optimisation every local variable would be an access; with more, accesses are merged
#   -fno-tree-sra         a float4 is read and written as one, not as four numbers
#   inlining              nvcc inlines most device functions; a call would also hide the line it comes from
# -Wno-tsan: g++ warns of fences that ThreadSanitizer does not understand.
set(ROPEWALK_TRACE_FLAGS -O1 -gdwarf-4 -fsanitize=thread -fno-tree-sra --param=tsan-instrument-func-entry-exit=0
  -finline-functions -finline-small-functions --param=max-inline-insns-auto=1000 --param=max-inline-insns-single=1000
  --param=early-inlining-insns=1000 --param=large-function-growth=10000 --param=inline-unit-growth=1000
  --param=large-unit-insns=100000 -Wno-tsan)

# ropewalk_trace_kernels(<target>): its kernels are traced, if this is a trace build
function(ropewalk_trace_kernels target)
  if(ROPEWALK_TRACE)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${ROPEWALK_TRACE_FLAGS}>)
    target_link_libraries(${target} PRIVATE simt_trace)
  endif()
endfunction()

# ropewalk_trace_test(<name> SOURCES <source>... [LINK <library>...]): a Catch2 program whose kernels are traced, run as one test
function(ropewalk_trace_test name)
  ropewalk_catch_test(${name} ${ARGN})
  ropewalk_trace_kernels(${name})
endfunction()

# ropewalk_trace_tests(NN_topic): the program with --trace, in several orders of the threads, and the chapter's trace_tests.cu
function(ropewalk_trace_tests name)
  if(NOT ROPEWALK_TRACE)
    return()
  endif()
  ropewalk_add_test(${name}_trace cpu COMMAND ${name} --trace)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/main.cu)
    foreach(seed 1 2)
      ropewalk_add_test(${name}_trace_seed${seed} cpu COMMAND ${name} --trace ENVIRONMENT SIMT_SEED=${seed})
    endforeach()
  endif()
  if(ROPEWALK_TRACE_TESTS AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/trace_tests.cu)
    ropewalk_trace_test(${name}_trace_tests SOURCES trace_tests.cu LINK ropewalk_harness)
  endif()
  ropewalk_counter_tests(${name} --run $<TARGET_FILE:${name}>)
endfunction()

# ropewalk_counter_tests(NN_topic [--run <program>]): what the chapter's kernels were counted to do on a GPU, results/trace_h200.csv,
# against what a trace counts: the committed one, results/trace.csv, or with --run one that is made now and must be the committed one.
# Skipped as long as nobody has counted. Chapters whose kernels are not traced have no such test.
function(ropewalk_counter_tests name)
  get_property(traced GLOBAL PROPERTY ropewalk_traced_chapters)
  if(NOT name IN_LIST traced)
    return()
  endif()
  find_package(Python3 3.10 COMPONENTS Interpreter QUIET)
  set(results ${PROJECT_SOURCE_DIR}/chapters/${name}/results)
  set(trace ${results}/trace.csv)
  if(ARGN)
    set(trace ${ARGN} --expect ${results}/trace.csv)
  endif()
  set(command ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/docs/tools/trace_compare.py ${trace} ${results}/trace_h200.csv)
  if(NOT EXISTS ${results}/trace_h200.csv)
    set(command bash -c "echo 'Skipped: there is no chapters/${name}/results/trace_h200.csv' && exit 77")
  elseif(NOT Python3_Interpreter_FOUND)
    set(command bash -c "echo 'Skipped: no python3 was found' && exit 77")
  endif()
  add_test(NAME ${name}_counters COMMAND ${command})
  set_tests_properties(${name}_counters PROPERTIES LABELS "docs;${name}" SKIP_RETURN_CODE 77 TIMEOUT 600)
endfunction()
