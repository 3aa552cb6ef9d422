#!/usr/bin/env bash
# Which GPU, which driver, which nvcc, and in one line why not. Sourced by ./run and ./test; CMake runs it as
# `device.sh find-nvcc`, which prints the compiler and installs nothing.
# shellcheck disable=SC2034  # the capital variables are read where this file is sourced

oldest_driver=580        # the first driver that runs CUDA 13
oldest_nvcc=13.0         # its first compiler
preferred_nvcc=13.3      # the first with the tile API for C++
oldest_capability=7.5    # the oldest GPUs that CUDA 13 compiles for
system_root=''           # the tests put other files in the place of /proc and /usr

version_at_least() { # <version> <minimum>
  printf '%s\n%s\n' "$2" "$1" | sort -V -C
}

find_nvidia_smi() {
  type -P nvidia-smi && return
  local wsl=$system_root/usr/lib/wsl/lib/nvidia-smi
  [[ -x $wsl ]] && echo "$wsl"
}

find_libcuda() {
  local folder
  local -a folders
  IFS=: read -ra folders <<<"${LD_LIBRARY_PATH:-}"
  for folder in "${folders[@]}" "$system_root"/usr/lib/wsl/lib "$system_root"/usr/local/nvidia/lib64 \
    "$system_root"/usr/lib/x86_64-linux-gnu "$system_root"/usr/lib64; do
    if [[ -n $folder && -e $folder/libcuda.so.1 ]]; then return 0; fi
  done
  [[ -z $system_root ]] && PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1'
}

# find_gpu: 0 when a GPU can be used. Sets GPU_NAME, GPU_DRIVER, GPU_CAPABILITIES ("8.6 9.0": one for each kind of GPU; empty
# when unknown) and GPU_CUDA (the newest CUDA major version the driver runs; empty when unknown), or GPU_PROBLEM.
find_gpu() {
  GPU_NAME='' GPU_DRIVER='' GPU_CAPABILITIES='' GPU_CUDA='' GPU_PROBLEM=''
  local smi
  if [[ -n ${CUDA_VISIBLE_DEVICES+set} && (-z $CUDA_VISIBLE_DEVICES || $CUDA_VISIBLE_DEVICES == -1*) ]]; then
    GPU_PROBLEM='CUDA_VISIBLE_DEVICES hides every GPU'
  elif smi=$(find_nvidia_smi); then
    ask_nvidia_smi "$smi"
  elif [[ -r $system_root/proc/driver/nvidia/version ]]; then
    ask_proc
  elif grep -qi microsoft "$system_root/proc/version" 2>/dev/null; then
    GPU_PROBLEM='WSL sees no NVIDIA driver: it comes with the driver installed in Windows, never from a package in here'
  else
    GPU_PROBLEM='no NVIDIA driver was found'
  fi
  if [[ -z $GPU_PROBLEM ]] && ! version_at_least "$GPU_DRIVER" $oldest_driver; then
    GPU_PROBLEM="NVIDIA driver $GPU_DRIVER is too old: CUDA 13 needs $oldest_driver or newer"
  fi
  [[ -z $GPU_PROBLEM ]] && drop_old_gpus
  if [[ -z $GPU_PROBLEM ]] && ! find_libcuda; then
    GPU_PROBLEM='the driver is there but its libcuda.so.1 is not (a container needs NVIDIA_DRIVER_CAPABILITIES=compute,utility)'
  fi
  [[ -z $GPU_PROBLEM ]]
}

ask_nvidia_smi() { # <nvidia-smi>
  local lines
  if lines=$("$1" --query-gpu=driver_version,compute_cap,name --format=csv,noheader 2>&1) && [[ $lines == *,*,* ]]; then
    GPU_DRIVER=$(head -n 1 <<<"$lines" | cut -d, -f1)
    GPU_CAPABILITIES=$(cut -d, -f2 <<<"$lines" | tr -d ' ' | sort -uV | xargs)
    GPU_NAME=$(head -n 1 <<<"$lines" | cut -d, -f3- | sed 's/^ *//')
    GPU_CUDA=$("$1" 2>/dev/null | sed -n 's/.*CUDA [A-Za-z ]*Version: *\([0-9]*\)\..*/\1/p' | head -n 1)
  elif grep -qi 'no devices' <<<"$lines"; then
    GPU_PROBLEM='the NVIDIA driver is there but finds no GPU'
  elif GPU_DRIVER=$("$1" --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1) \
    && [[ $GPU_DRIVER =~ ^[0-9.]+$ ]]; then
    return 0  # a driver so old that it cannot name the compute capability
  else
    GPU_PROBLEM="nvidia-smi does not reach the driver ($(head -n 1 <<<"$lines"))"
  fi
}

# A container may lack nvidia-smi; the kernel module tells its version and the number of GPUs, not what they are.
ask_proc() {
  GPU_DRIVER=$(grep -oE '[0-9]{3,}\.[0-9.]+' "$system_root/proc/driver/nvidia/version" | head -n 1)
  GPU_NAME='NVIDIA GPU'
  if ! compgen -G "$system_root/proc/driver/nvidia/gpus/*" >/dev/null; then
    GPU_PROBLEM='the NVIDIA driver is there but finds no GPU'
  fi
}

drop_old_gpus() {
  local capability usable=''
  for capability in $GPU_CAPABILITIES; do
    if version_at_least "$capability" $oldest_capability; then usable+="$capability "; fi
  done
  if [[ -n $GPU_CAPABILITIES && -z $usable ]]; then
    GPU_PROBLEM="$GPU_NAME has compute capability $GPU_CAPABILITIES: CUDA 13 compiles for $oldest_capability and newer"
  fi
  GPU_CAPABILITIES=${usable% }
}

# find_archs <nvcc>: GPU_ARCHS, the architectures to compile for ("86;90"), or GPU_PROBLEM. A GPU also runs machine code made
# for a smaller minor version of its own major version.
find_archs() {
  local codes capability wanted code best
  codes=$("$1" --list-gpu-code 2>/dev/null | sed -n 's/^sm_\([0-9]*\)$/\1/p' | sort -n)
  GPU_ARCHS=''
  for capability in $GPU_CAPABILITIES; do
    wanted=${capability/./} best=''
    for code in $codes; do
      if [[ ${code%?} == "${wanted%?}" && $code -le $wanted ]]; then best=$code; fi
    done
    if [[ -z $best ]]; then
      GPU_PROBLEM="nvcc $(nvcc_version "$1") cannot compile for $GPU_NAME (compute capability $capability): a newer toolkit can"
      return 1
    fi
    [[ ";$GPU_ARCHS;" == *";$best;"* ]] || GPU_ARCHS+="${GPU_ARCHS:+;}$best"
  done
}

# tile_problem <nvcc version> <architectures, "86;90">: why CUDA Tile C++ is not to be had; nothing if it is
tile_problem() {
  local arch
  if ! version_at_least "$1" $preferred_nvcc; then
    echo "CUDA Tile C++ needs nvcc $preferred_nvcc, this is $1"
    return
  fi
  for arch in ${2//;/ }; do
    if [[ $arch -ge 80 ]]; then return; fi
  done
  if [[ -n $2 ]]; then echo "CUDA Tile C++ needs a GPU of compute capability 8.0, this is ${2%?}.${2: -1}"; fi
}

nvcc_version() { # <nvcc>
  "$1" --version 2>/dev/null | sed -n 's/.*release \([0-9]*\.[0-9]*\),.*/\1/p'
}

nvcc_candidates() {
  local file
  for file in "${CUDACXX:-}" $(type -aP nvcc) "${CUDA_HOME:-}/bin/nvcc" "${CUDA_PATH:-}/bin/nvcc" \
    "$system_root"/usr/local/cuda/bin/nvcc "$system_root"/usr/local/cuda-*/bin/nvcc "$system_root"/opt/cuda/bin/nvcc; do
    if [[ -n $file && -x $file ]]; then echo "$file"; fi
  done
}

# find_nvcc <minimum>: prints the first nvcc that is new enough, and no newer than the driver can run
find_nvcc() {
  local file version
  while read -r file; do
    version=$(nvcc_version "$file")
    if [[ -z $version ]] || ! version_at_least "$version" "$1"; then continue; fi
    if [[ -n ${GPU_CUDA:-} && ${version%%.*} -gt $GPU_CUDA ]]; then continue; fi
    echo "$file"
    return 0
  done < <(nvcc_candidates)
  return 1
}

# The nvcc of the pinned wheels in .cuda, when all of them are installed.
find_wheel_nvcc() {
  cmp -s "$root/cmake/cuda_wheels.txt" "$root/.cuda/installed.txt" || return 1
  compgen -G "$root/.cuda/lib/python3*/site-packages/nvidia/cu13/bin/nvcc"
}

# choose_nvcc <install command>: sets NVCC and NVCC_VERSION, or NVCC_PROBLEM. An nvcc with everything the book uses; else the
# wheels, installed by the command if need be ("false" installs nothing); else any nvcc of CUDA 13.
choose_nvcc() {
  NVCC='' NVCC_VERSION='' NVCC_PROBLEM=''
  if NVCC=$(find_nvcc $preferred_nvcc) || NVCC=$(find_wheel_nvcc) || { "$1" && NVCC=$(find_wheel_nvcc); } \
    || NVCC=$(find_nvcc $oldest_nvcc); then
    NVCC_VERSION=$(nvcc_version "$NVCC")
    return 0
  fi
  local other version
  other=$(nvcc_candidates | head -n 1)
  version=$([[ -z $other ]] || nvcc_version "$other")
  if [[ -z $other ]]; then
    NVCC_PROBLEM='no nvcc was found'
  elif ! version_at_least "${version:-0}" $oldest_nvcc; then
    NVCC_PROBLEM="nvcc ${version:-of unknown version} ($other) is too old: $oldest_nvcc or newer is needed"
  else
    NVCC_PROBLEM="nvcc $version ($other) is too new for NVIDIA driver ${GPU_DRIVER:-?}, which runs CUDA ${GPU_CUDA:-13}"
  fi
  if [[ -r $root/.cuda/not_installed.txt ]]; then NVCC_PROBLEM+=" (the CUDA wheels: $(<"$root/.cuda/not_installed.txt"))"; fi
  return 1
}

# explain_cuda_error <file with a program's error output>: what to do about the errors that a wrong machine causes
explain_cuda_error() {
  local name
  name=$(grep -oE 'cudaError[A-Za-z]+' "$1" | head -n 1) || return 0
  case $name in
    cudaErrorNoKernelImageForDevice)
      echo "The program has no machine code for this GPU: run it through ./run --gpu, which compiles for the GPU it finds." ;;
    cudaErrorUnsupportedPtxVersion)
      echo "The program holds PTX that this driver is too old for: run it through ./run --gpu, which builds machine code." ;;
    cudaErrorInsufficientDriver)
      echo "The NVIDIA driver is older than the program's CUDA runtime: CUDA 13 needs driver $oldest_driver or newer." ;;
    cudaErrorNoDevice)
      echo "The program sees no GPU: look at CUDA_VISIBLE_DEVICES, or at the settings of the container." ;;
    cudaErrorSystemDriverMismatch)
      echo "The driver's library and its kernel module differ: restart the machine after a driver update." ;;
  esac
}

if [[ ${BASH_SOURCE[0]} == "$0" && ${1:-} == find-nvcc ]]; then
  root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
  choose_nvcc false && echo "$NVCC"
fi
