/// \file
/// A kernel with its arguments, and the shape in which it is launched.
#pragma once

#include <cstddef>
#include <memory>
#include <tuple>
#include <utility>

#include "common/simt/device/vector_types.hpp"

namespace simt {

/// What one thread does, with the kernel's type forgotten.
class KernelCall {
 public:
  virtual ~KernelCall() = default;
  virtual void run_thread() const = 0;
  /// The kernel's address, and the size of this object, which holds the arguments.
  virtual const void* function() const = 0;
  virtual std::size_t size() const = 0;
};

template <class... Parameters>
class BoundKernel final : public KernelCall {
 public:
  template <class... Arguments>
  explicit BoundKernel(void (*kernel)(Parameters...), Arguments&&... arguments)
      : kernel_(kernel), arguments_(std::forward<Arguments>(arguments)...) {}
  void run_thread() const override { std::apply(kernel_, arguments_); }
  const void* function() const override { return reinterpret_cast<const void*>(kernel_); }
  std::size_t size() const override { return sizeof *this; }

 private:
  void (*kernel_)(Parameters...);
  std::tuple<Parameters...> arguments_;
};

struct Launch {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  bool starts_early = false;  // programmatic stream serialization: may overlap the kernel before it
  std::shared_ptr<const KernelCall> kernel;
};

}  // namespace simt
