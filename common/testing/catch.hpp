/// \file
/// Catch2, whichever version is installed: Debian 12 has version 2 (one header), current systems have
/// version 3.
#pragma once

// CMake says when it found version 3; its headers alone, without the library, would not link.
#if defined(ROPEWALK_CATCH2_3) || !__has_include(<catch2/catch.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
