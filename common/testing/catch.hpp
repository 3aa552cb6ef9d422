/// \file
/// Catch2, whichever version is installed: Debian 12 has version 2 (one header), current systems have version 3.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
