# The kinds of target this project has: libraries, chapters and tests. A .cu file goes to nvcc in a CUDA build; in a CPU build a
# generated one-line .cpp includes it, so that the same text is compiled as C++ against the stand-in headers of common/simt.

# What every target is compiled with. Contraction is off because a fused a*b+c rounds differently from machine to machine.
add_library(ropewalk_options INTERFACE)
target_include_directories(ropewalk_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(ropewalk_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow;-Wconversion;-ffp-contract=off>"
  # -lineinfo: profilers and compute-sanitizer name source lines; the code is the same.
  "$<$<COMPILE_LANGUAGE:CUDA>:-lineinfo;-Xcompiler=-Wall,-Wextra,-ffp-contract=off>")
if(ROPEWALK_CUDA)
  target_compile_definitions(ropewalk_options INTERFACE ROPEWALK_CUDA)
endif()
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=[a-z,]*address")
  target_compile_definitions(ropewalk_options INTERFACE ROPEWALK_SANITIZE_ADDRESS)
endif()
if(ROPEWALK_TRACE)
  target_compile_definitions(ropewalk_options INTERFACE ROPEWALK_TRACE)
endif()
if(ROPEWALK_WERROR)
  target_compile_options(ropewalk_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-Werror>" "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings;-Xcompiler=-Werror>")
endif()

# What stands behind common/gpu and every kernel: the CUDA runtime, or the CPU executor.
add_library(ropewalk_gpu INTERFACE)
target_link_libraries(ropewalk_gpu INTERFACE ropewalk_options)
if(ROPEWALK_CUDA)
  target_include_directories(ropewalk_gpu SYSTEM INTERFACE ${ROPEWALK_TOOLKIT_INCLUDE})
  target_link_libraries(ropewalk_gpu INTERFACE ${ROPEWALK_CUDART} Threads::Threads ${CMAKE_DL_LIBS} rt)
  set(ropewalk_device gpu)
else()
  target_link_libraries(ropewalk_gpu INTERFACE simt)
  set(ropewalk_device cpu)
endif()

# ropewalk_wrap_cuda(<out-variable> <source>...): the sources as this build compiles them
function(ropewalk_wrap_cuda out)
  set(result "")
  foreach(source IN LISTS ARGN)
    if(source MATCHES "[.]cu$" AND NOT ROPEWALK_CUDA)
      get_filename_component(file ${source} ABSOLUTE)
      set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/${source}.cpp)
      file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"${file}\"\n")
      list(APPEND result ${wrapper})
    else()
      list(APPEND result ${source})
    endif()
  endforeach()
  set(${out} ${result} PARENT_SCOPE)
endfunction()

# ropewalk_library(<name> SOURCES <source>... [LINK <library>...] [PRIVATE_LINK <library>...])
function(ropewalk_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK;PRIVATE_LINK")
  ropewalk_wrap_cuda(sources ${arg_SOURCES})
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC ropewalk_options ${arg_LINK} PRIVATE ${arg_PRIVATE_LINK})
  if(arg_SOURCES MATCHES "[.]cu(;|$)")
    target_link_libraries(${name} PUBLIC ropewalk_gpu)
  endif()
endfunction()

# ropewalk_add_test(<name> <device> [ENVIRONMENT <VAR=value>...] COMMAND <word>...): a test with the labels, the time limit and
# the "skipped" exit code that all of them have. The chapter or the part of common/ is a label too: `ctest -L 03_naive`.
function(ropewalk_add_test name device)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "ENVIRONMENT;COMMAND")
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  string(REGEX REPLACE "^[a-z]+/([^/]+).*" "\\1" folder ${folder})
  add_test(NAME ${name} COMMAND ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES
    LABELS "${device};${folder}" SKIP_RETURN_CODE 77 TIMEOUT 600 ENVIRONMENT "${arg_ENVIRONMENT}")
  if(device STREQUAL gpu)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()

# ropewalk_test(<name> SOURCES <source>... [LINK <library>...]): a Catch2 program, run as one test, in builds with tests
function(ropewalk_test)
  if(ROPEWALK_TESTS)
    ropewalk_catch_test(${ARGV})
  endif()
endfunction()

function(ropewalk_catch_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  ropewalk_wrap_cuda(sources ${arg_SOURCES})
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE ropewalk_options ropewalk_catch_main ${arg_LINK})
  target_compile_definitions(${name} PRIVATE ROPEWALK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set(device cpu)
  if(arg_SOURCES MATCHES "[.]cu(;|$)")
    set(device ${ropewalk_device})
    target_link_libraries(${name} PRIVATE ropewalk_gpu)
    if(ROPEWALK_CUDA)
      target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/common/testing/needs_gpu.cpp)
      if(ropewalk_test_architectures)
        set_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES "${ropewalk_test_architectures}")
      endif()
    endif()
  endif()
  ropewalk_add_test(${name} ${device} COMMAND ${name})
endfunction()

# ropewalk_chapter(NN_topic [BASELINE NN_topic] [TILES]): the chapter's program bin/NN_topic and its tests. BASELINE names the earlier
# chapter whose kernels this one compares itself with; no other may be included. TILES: its kernels are CUDA Tile C++. Where the
# toolkit or all GPUs are too old for that, a CUDA build leaves the chapter out (./run then takes it from the CPU build).
function(ropewalk_chapter name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TILES" "BASELINE" "")
  if(arg_TILES AND ROPEWALK_CUDA AND ROPEWALK_TILE_PROBLEM)
    message(STATUS "${name} is left out: ${ROPEWALK_TILE_PROBLEM}")
    return()
  endif()
  if(arg_BASELINE AND NOT EXISTS ${PROJECT_SOURCE_DIR}/chapters/${arg_BASELINE}/kernels.cuh)
    message(FATAL_ERROR "${name}: its baseline ${arg_BASELINE} has no kernels.cuh")
  endif()
  # All chapters of this build, and those whose kernels the trace build traces.
  set_property(GLOBAL APPEND PROPERTY ropewalk_chapters ${name})
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/kernels.cuh AND NOT arg_TILES)
    set_property(GLOBAL APPEND PROPERTY ropewalk_traced_chapters ${name})
  endif()
  set(extension cpp)
  set(device cpu)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/main.cu)
    set(extension cu)
    set(device ${ropewalk_device})
  endif()
  ropewalk_wrap_cuda(sources main.${extension})
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE ropewalk_harness ropewalk_gpu)
  if(arg_TILES)
    ropewalk_tile_kernels(${name})
  else()
    ropewalk_trace_kernels(${name})
  endif()
  if(ROPEWALK_SCRIPT_TESTS OR ROPEWALK_TRACE)
    ropewalk_edited_target(${name} main.${extension})
  endif()
  ropewalk_trace_tests(${name})
  if(NOT ROPEWALK_TESTS)
    return()
  endif()

  ropewalk_test(${name}_tests SOURCES tests.${extension} LINK ropewalk_harness ropewalk_kernel_suite)
  if(arg_TILES)
    ropewalk_tile_kernels(${name}_tests)
  endif()
  ropewalk_add_test(${name} ${device} COMMAND ${name})
  if(extension STREQUAL cu AND NOT ROPEWALK_CUDA)
    foreach(seed 1 2 3)  # other orders of the threads, as a GPU has them
      ropewalk_add_test(${name}_seed${seed} ${device} COMMAND ${name} ENVIRONMENT SIMT_SEED=${seed})
    endforeach()
  elseif(extension STREQUAL cu)
    ropewalk_sanitizer_tests(${name})
  endif()
endfunction()

# ropewalk_tile_kernels(<target>): compiled as CUDA Tile C++, for the architectures that have it. Without --enable-tile nvcc would not know
# the words; for one below 8.0 it compiles them and the launch fails. _FORTIFY_SOURCE, which some systems set, breaks tile builds.
function(ropewalk_tile_kernels target)
  if(ROPEWALK_CUDA)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:--enable-tile;-U_FORTIFY_SOURCE>")
    get_target_property(architectures ${target} CUDA_ARCHITECTURES)
    list(FILTER architectures EXCLUDE REGEX "^[1-7][0-9]-")
    if(NOT architectures)  # a test that is compiled for one architecture, and that is too old
      list(FILTER CMAKE_CUDA_ARCHITECTURES EXCLUDE REGEX "^[1-7][0-9]-")
      list(GET CMAKE_CUDA_ARCHITECTURES 0 architectures)
    endif()
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${architectures}")
  endif()
endfunction()

# ropewalk_sanitizer_tests(NN_topic): the program under each of compute-sanitizer's tools
function(ropewalk_sanitizer_tests name)
  find_program(ROPEWALK_COMPUTE_SANITIZER compute-sanitizer HINTS ${ropewalk_toolkit}/bin ${ropewalk_toolkit}/compute-sanitizer)
  foreach(tool memcheck racecheck initcheck synccheck)
    if(ROPEWALK_COMPUTE_SANITIZER)
      set(command ${ROPEWALK_COMPUTE_SANITIZER} --tool ${tool} --error-exitcode 1 $<TARGET_FILE:${name}>)
    else()
      set(command bash -c "echo 'Skipped: no compute-sanitizer was found' && exit 77")
    endif()
    ropewalk_add_test(${name}_${tool} gpu COMMAND ${command})
  endforeach()
endfunction()

# ropewalk_edited_target(NN_topic <main>): the target NN_topic_edited, the chapter's program built from edited copies of its sources.
# A copy at build/.../edited/NN_topic/overlay/chapters/NN_topic/kernels.cuh comes before the file itself, since the overlay is first
# on the include path. Only docs/tools/fill.py builds this target: it writes the overlay, touches main_edited and cleans up.
function(ropewalk_edited_target name main)
  set(folder ${PROJECT_BINARY_DIR}/edited/${name})
  set(wrapper ${folder}/main_edited.cpp)
  if(main MATCHES "[.]cu$" AND ROPEWALK_CUDA)
    set(wrapper ${folder}/main_edited.cu)
  endif()
  file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"chapters/${name}/${main}\"\n")
  add_executable(${name}_edited EXCLUDE_FROM_ALL ${wrapper})
  target_include_directories(${name}_edited BEFORE PRIVATE ${folder}/overlay)
  if(ROPEWALK_TRACE)
    ropewalk_trace_kernels(${name}_edited)
    # The copy is gone when the trace quotes its lines; an edit does not change their number.
    target_compile_options(${name}_edited PRIVATE -fdebug-prefix-map=${folder}/overlay=${PROJECT_SOURCE_DIR})
  endif()
  target_compile_options(${name}_edited PRIVATE -w)  # what an edit leaves unused is no error
  target_link_libraries(${name}_edited PRIVATE ropewalk_harness ropewalk_gpu)
  set_target_properties(${name}_edited PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${folder}/bin)
endfunction()

# ropewalk_edited_test(<name> CHAPTER NN_topic FILE "<file of the chapter> [<tag>]" EDIT "<old> ==> <new>" [ARGUMENTS <word>...]): the chapter's
# checks must notice this edit, with the threads in order and with SIMT_SEED=1 to 8. No semicolon may stand in EDIT: CMake would take it
# for the end of a list's element.
function(ropewalk_edited_test name)
  if(NOT ROPEWALK_SCRIPT_TESTS OR NOT ROPEWALK_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CHAPTER;FILE;EDIT" "ARGUMENTS")
  find_package(Python3 3.10 COMPONENTS Interpreter QUIET)
  if(Python3_Interpreter_FOUND)
    set(command ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/docs/tools/fill.py try --build ${PROJECT_BINARY_DIR}
      ${arg_CHAPTER} "${arg_FILE}" "${arg_EDIT}" -- ${arg_ARGUMENTS})
  else()
    set(command bash -c "echo 'Skipped: no python3 was found' && exit 77")
  endif()
  ropewalk_add_test(${name} ${ropewalk_device} COMMAND ${command})
  set_tests_properties(${name} PROPERTIES RESOURCE_LOCK ropewalk_build)  # it builds in this build folder
endfunction()
