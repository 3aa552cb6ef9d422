/// \file
/// Fiber backend on Boost.Context: a switch costs a few nanoseconds.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>

namespace simt {

inline constexpr bool kDirectSwitch = true;

struct FiberContext {
  boost::context::detail::fcontext_t position = nullptr;
};

/// Leaves `from` and goes on where `to` was left.
inline void switch_context(FiberContext& from, FiberContext& to) {
  const boost::context::detail::transfer_t arrival =
      boost::context::detail::jump_fcontext(to.position, &from);
  // Whoever comes back here tells where it left: its FiberContext receives its new position.
  static_cast<FiberContext*>(arrival.data)->position = arrival.fctx;
}

/// Makes `context` start at entry() on an empty stack.
template <void (*entry)()>
void reset_context(FiberContext& context, char* stack, std::size_t size) {
  const auto arrive = [](boost::context::detail::transfer_t arrival) {
    static_cast<FiberContext*>(arrival.data)->position = arrival.fctx;
    entry();
  };
  context.position = boost::context::detail::make_fcontext(stack + size, size, arrive);
}

}  // namespace simt
