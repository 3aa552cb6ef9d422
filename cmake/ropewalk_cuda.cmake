# The CUDA build: which nvcc, for which GPUs. Included before any target. A CPU build takes only ROPEWALK_TOOLKIT_INCLUDE from
# here: the folders of NVIDIA's own headers, or nothing where there is no toolkit.

# The one list of architectures: compute capabilities without the dot.
set(ROPEWALK_CUDA_ARCHS "75;80;90;100;120" CACHE STRING "GPU architectures to compile for")
set(ROPEWALK_CUDA_TEST_ARCHS "" CACHE STRING "The same for the tests; empty: ROPEWALK_CUDA_ARCHS")

# Which nvcc: an explicit choice in CMake's own ways, else by the rule that ./run follows too.
set(ropewalk_nvcc "${CMAKE_CUDA_COMPILER}")
if(NOT ropewalk_nvcc)
  set(ropewalk_nvcc "$ENV{CUDACXX}")
endif()
if(NOT ropewalk_nvcc)
  execute_process(COMMAND bash ${PROJECT_SOURCE_DIR}/cmake/device.sh find-nvcc
    OUTPUT_VARIABLE ropewalk_nvcc OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()

set(ROPEWALK_TOOLKIT_INCLUDE "")
if(EXISTS "${ropewalk_nvcc}")
  file(REAL_PATH "${ropewalk_nvcc}" ropewalk_toolkit)  # .../bin/nvcc
  get_filename_component(ropewalk_toolkit "${ropewalk_toolkit}" DIRECTORY)
  get_filename_component(ropewalk_toolkit "${ropewalk_toolkit}" DIRECTORY)
  if(EXISTS "${ropewalk_toolkit}/include/cuda_fp16.h")
    # cuda_fp16.h needs <nv/target>, which is CCCL's; nvcc adds that folder by itself, g++ does not.
    set(ROPEWALK_TOOLKIT_INCLUDE "${ropewalk_toolkit}/include" "${ropewalk_toolkit}/include/cccl")
  endif()
endif()

if(NOT ROPEWALK_CUDA)
  return()
endif()
if(NOT ropewalk_nvcc)
  message(FATAL_ERROR "no nvcc 13.0 or newer was found: name one with -DCMAKE_CUDA_COMPILER=/path/to/nvcc, "
                      "or let ./test --cuda-build install one into .cuda")
endif()

# Machine code ("-real") for each and no PTX: an older driver cannot compile the PTX of a newer toolkit, and says so only when
# the first kernel starts.
set(CMAKE_CUDA_COMPILER "${ropewalk_nvcc}")
list(TRANSFORM ROPEWALK_CUDA_ARCHS APPEND -real OUTPUT_VARIABLE CMAKE_CUDA_ARCHITECTURES)
list(TRANSFORM ROPEWALK_CUDA_TEST_ARCHS APPEND -real OUTPUT_VARIABLE ropewalk_test_architectures)
enable_language(CUDA)

# Why no tile kernel can be built here; empty if one can. The words are those of cmake/device.sh.
set(ROPEWALK_TILE_PROBLEM "")
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13.3)
  set(ROPEWALK_TILE_PROBLEM "CUDA Tile C++ needs nvcc 13.3 or newer, this is ${CMAKE_CUDA_COMPILER_VERSION}")
elseif(NOT ROPEWALK_CUDA_ARCHS MATCHES "(^|;)([89][0-9]|1[0-9][0-9])")
  set(ROPEWALK_TILE_PROBLEM "CUDA Tile C++ needs a GPU of compute capability 8.0 or newer, this is built for ${ROPEWALK_CUDA_ARCHS}")
endif()

# CMake 3.25 does not know that nvcc 12 and newer have C++20; newer CMake sets these itself.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()

# The runtime of this very toolkit: FindCUDAToolkit would also take one that lies in /usr/local/lib.
find_library(ROPEWALK_CUDART cudart_static PATHS ${CMAKE_CUDA_IMPLICIT_LINK_DIRECTORIES} NO_DEFAULT_PATH REQUIRED)
find_package(Threads REQUIRED)
message(STATUS "nvcc ${CMAKE_CUDA_COMPILER_VERSION} (${ropewalk_nvcc}) for ${ROPEWALK_CUDA_ARCHS}")
