#!/usr/bin/env bash
# The decisions of cmake/device.sh, with fake drivers and compilers.
set -euo pipefail
# shellcheck source=cmake/tests/testing.sh
source "$(dirname "${BASH_SOURCE[0]}")/testing.sh"
root=$sandbox/repository
mkdir -p "$root/cmake"
# shellcheck source=cmake/device.sh
source "$repository/cmake/device.sh"
system_root=$sandbox/root

gpu() { # what find_gpu says
  if find_gpu; then echo "$GPU_NAME, driver $GPU_DRIVER, capability $GPU_CAPABILITIES, CUDA $GPU_CUDA"; else echo "$GPU_PROBLEM"; fi
}

# fake_smi <its lines>: nvidia-smi of a working driver
fake_smi() {
  printf '%s\n' "$@" >"$sandbox/smi"
  fake nvidia-smi <<END
if [[ \$* == *compute_cap* ]]; then cat $sandbox/smi; else echo '| Driver Version: 580.95.05    CUDA Version: 13.0  |'; fi
END
}
libcuda() { mkdir -p "$system_root/usr/lib/x86_64-linux-gnu" && touch "$system_root/usr/lib/x86_64-linux-gnu/libcuda.so.1"; }
no_libcuda() { rm -f "${system_root:?}/usr/lib/x86_64-linux-gnu/libcuda.so.1"; }

# --- the driver and the GPU ---
expect 'nothing there' 'no NVIDIA driver was found' "$(gpu)"

mkdir -p "$system_root/proc"
echo 'Linux version 5.15.153.1-microsoft-standard-WSL2' >"$system_root/proc/version"
expect_match 'WSL without a driver' '^WSL sees no NVIDIA driver: .*Windows' "$(gpu)"
fake "$system_root/usr/lib/wsl/lib/nvidia-smi" <<<"echo '581.15, 8.9, NVIDIA GeForce RTX 4070'"
expect_match 'WSL, libcuda missing' 'libcuda.so.1 is not' "$(gpu)"
touch "$system_root/usr/lib/wsl/lib/libcuda.so.1"
expect 'WSL with a driver' 'NVIDIA GeForce RTX 4070, driver 581.15, capability 8.9, CUDA ' "$(gpu)"
rm -r "${system_root:?}/usr/lib/wsl" "${system_root:?}/proc/version"

libcuda
fake_smi '580.159.04, 9.0, NVIDIA H200'
expect 'one GPU' 'NVIDIA H200, driver 580.159.04, capability 9.0, CUDA 13' "$(gpu)"
expect 'CUDA_VISIBLE_DEVICES=0' 'NVIDIA H200, driver 580.159.04, capability 9.0, CUDA 13' "$(CUDA_VISIBLE_DEVICES=0 gpu)"
expect 'CUDA_VISIBLE_DEVICES empty' 'CUDA_VISIBLE_DEVICES hides every GPU' "$(CUDA_VISIBLE_DEVICES='' gpu)"
expect 'CUDA_VISIBLE_DEVICES=-1' 'CUDA_VISIBLE_DEVICES hides every GPU' "$(CUDA_VISIBLE_DEVICES=-1 gpu)"
no_libcuda
expect_match 'a container without compute' 'libcuda.so.1 is not .*NVIDIA_DRIVER_CAPABILITIES' "$(gpu)"
mkdir "$sandbox/cuda-libraries"
touch "$sandbox/cuda-libraries/libcuda.so.1"
expect_match 'libcuda on LD_LIBRARY_PATH' '^NVIDIA H200' "$(LD_LIBRARY_PATH=/nowhere:$sandbox/cuda-libraries gpu)"
libcuda

fake_smi '580.65, 9.0, NVIDIA H100' '580.65, 8.6, NVIDIA A40' '580.65, 9.0, NVIDIA H100'
expect 'several kinds of GPU' 'NVIDIA H100, driver 580.65, capability 8.6 9.0, CUDA 13' "$(gpu)"
fake_smi '580.00, 12.0, X'
expect 'the oldest driver that is new enough' 'X, driver 580.00, capability 12.0, CUDA 13' "$(gpu)"
fake_smi '579.99, 9.0, X'
expect 'driver too old' 'NVIDIA driver 579.99 is too old: CUDA 13 needs 580 or newer' "$(gpu)"
fake_smi '580.65, 7.0, Tesla V100'
expect 'GPU too old' 'Tesla V100 has compute capability 7.0: CUDA 13 compiles for 7.5 and newer' "$(gpu)"
fake_smi '580.65, 7.0, Tesla V100' '580.65, 7.5, Tesla T4'
expect_match 'one of two GPUs too old' 'capability 7.5,' "$(gpu)"

fake nvidia-smi <<'END'
if [[ $* == *compute_cap* ]]; then echo 'Field "compute_cap" is not a valid field to query.'; exit 2; fi
echo 450.51.06
END
expect 'a driver that cannot tell the capability' 'NVIDIA driver 450.51.06 is too old: CUDA 13 needs 580 or newer' "$(gpu)"
fake nvidia-smi <<<'echo "NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver."; exit 9'
expect_match 'the kernel module is not loaded' '^nvidia-smi does not reach the driver \(NVIDIA-SMI has failed' "$(gpu)"
fake nvidia-smi <<<'echo "No devices were found"; exit 6'
expect 'a driver without GPU' 'the NVIDIA driver is there but finds no GPU' "$(gpu)"
without nvidia-smi

mkdir -p "$system_root/proc/driver/nvidia/gpus"
echo 'NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.82.07  Release Build' >"$system_root/proc/driver/nvidia/version"
expect 'no nvidia-smi, no GPU' 'the NVIDIA driver is there but finds no GPU' "$(gpu)"
mkdir "$system_root/proc/driver/nvidia/gpus/0000:01:00.0"
expect 'no nvidia-smi, a GPU' 'NVIDIA GPU, driver 580.82.07, capability , CUDA ' "$(gpu)"
echo 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  Tue' >"$system_root/proc/driver/nvidia/version"
expect_match 'no nvidia-smi, driver too old' '^NVIDIA driver 535.54.03 is too old' "$(gpu)"
rm -r "${system_root:?}/proc/driver"

# --- the compiler ---
fake_nvcc() { # <file> <version>
  fake "$1" <<END
if [[ \$1 == --version ]]; then echo 'Cuda compilation tools, release $2, V$2.48'; fi
if [[ \$1 == --list-gpu-code ]]; then printf 'sm_%s\n' 75 80 86 90 100 120; fi
END
}
installs() { touch "$sandbox/installs"; return 1; }
nvcc() { # <install command>: what choose_nvcc says, and whether it tried to install
  local answer tried=''
  rm -f "$sandbox/installs"
  if choose_nvcc "$1"; then answer="$NVCC_VERSION ${NVCC#"$sandbox"}"; else answer=$NVCC_PROBLEM; fi
  if [[ -e $sandbox/installs ]]; then tried=', tried to install'; fi
  echo "$answer$tried"
}
GPU_CUDA=''
expect 'no nvcc' 'no nvcc was found, tried to install' "$(nvcc installs)"
expect 'no nvcc, nothing to be installed' 'no nvcc was found' "$(nvcc false)"
fake_nvcc nvcc 12.4
expect 'nvcc too old' "nvcc 12.4 ($sandbox/bin/nvcc) is too old: 13.0 or newer is needed, tried to install" "$(nvcc installs)"
fake_nvcc "$system_root/usr/local/cuda-13.1/bin/nvcc" 13.1
expect 'a second one is new enough' '13.1 /root/usr/local/cuda-13.1/bin/nvcc, tried to install' "$(nvcc installs)"
fake_nvcc nvcc 13.3
expect 'one that needs no wheels' '13.3 /bin/nvcc' "$(nvcc installs)"
fake_nvcc nvcc 13.10
expect '13.10 is newer than 13.3' '13.10 /bin/nvcc' "$(nvcc installs)"
fake_nvcc nvcc 13.0
fake_nvcc "$sandbox/mine/nvcc" 13.5
expect 'CUDACXX' '13.5 /mine/nvcc' "$(CUDACXX=$sandbox/mine/nvcc nvcc installs)"
rm -r "${system_root:?}/usr/local"

wheel=$root/.cuda/lib/python3.11/site-packages/nvidia/cu13/bin/nvcc
echo 'nvidia-cuda-nvcc==13.5.37' >"$root/cmake/cuda_wheels.txt"
fake_nvcc "$wheel" 13.5
expect 'half-installed wheels do not count' '13.0 /bin/nvcc, tried to install' "$(nvcc installs)"
cp "$root/cmake/cuda_wheels.txt" "$root/.cuda/installed.txt"
expect 'the wheels before an nvcc 13.0' "13.5 ${wheel#"$sandbox"}" "$(nvcc installs)"
echo 'nvidia-cuda-nvcc==13.6.1' >"$root/cmake/cuda_wheels.txt"
expect 'wheels of another list do not count' '13.0 /bin/nvcc, tried to install' "$(nvcc installs)"
finish_install() { cp "$root/cmake/cuda_wheels.txt" "$root/.cuda/installed.txt"; }
expect 'wheels that get installed' "13.5 ${wheel#"$sandbox"}" "$(nvcc finish_install)"
rm -r "$root/.cuda"
without nvcc
mkdir "$root/.cuda"
echo 'declined' >"$root/.cuda/not_installed.txt"
expect 'why there are no wheels' 'no nvcc was found (the CUDA wheels: declined)' "$(nvcc false)"
rm -r "$root/.cuda"
fake_nvcc nvcc 14.0
GPU_CUDA=13 GPU_DRIVER=580.65
expect 'nvcc newer than the driver' "nvcc 14.0 ($sandbox/bin/nvcc) is too new for NVIDIA driver 580.65, which runs CUDA 13" "$(nvcc false)"
GPU_CUDA=14
expect 'nvcc and driver of the same age' '14.0 /bin/nvcc' "$(nvcc false)"
expect 'CMake asks' "$sandbox/bin/nvcc" "$(bash "$repository/cmake/device.sh" find-nvcc)"

# --- what to compile for ---
archs() { # <capabilities>
  GPU_CAPABILITIES=$1 GPU_NAME=X GPU_PROBLEM=''
  if find_archs "$sandbox/bin/nvcc"; then echo "$GPU_ARCHS"; else echo "$GPU_PROBLEM"; fi
}
expect 'machine code for this very GPU' 90 "$(archs 9.0)"
expect 'two kinds of GPU' '86;90' "$(archs '8.6 9.0')"
expect 'a smaller minor version serves' 86 "$(archs 8.9)"
expect 'and is named once' 86 "$(archs '8.6 8.9')"
expect 'three digits' 120 "$(archs 12.1)"
expect 'unknown capability' '' "$(archs '')"
expect 'no code for this GPU' 'nvcc 14.0 cannot compile for X (compute capability 15.0): a newer toolkit can' "$(archs 15.0)"
expect_match 'a greater minor version does not serve' 'cannot compile for X \(compute capability 7.2\)' "$(archs 7.2)"

# --- errors of programs ---
explain() { echo "kernel launch failed: $1 (text)" >"$sandbox/errors" && explain_cuda_error "$sandbox/errors"; }
expect_match 'no kernel image' 'no machine code for this GPU' "$(explain cudaErrorNoKernelImageForDevice)"
expect_match 'unsupported PTX' 'PTX that this driver is too old for' "$(explain cudaErrorUnsupportedPtxVersion)"
expect_match 'insufficient driver' 'driver is older than the program.s CUDA runtime' "$(explain cudaErrorInsufficientDriver)"
expect_match 'no device' 'sees no GPU' "$(explain cudaErrorNoDevice)"
expect_match 'driver half updated' 'kernel module differ' "$(explain cudaErrorSystemDriverMismatch)"
expect 'any other error needs no words' '' "$(explain cudaErrorIllegalAddress)"
expect 'no error' '' "$(explain something)"

finish
