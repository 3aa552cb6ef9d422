/// \file
/// The main function of every test program, compiled once: Catch2's own code takes longer to compile than any test.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

// Catch2's exit code is the number of failed assertions, and 77 of them would read as "skipped" to CTest.
int main(int argc, char** argv) { return Catch::Session().run(argc, argv) == 0 ? 0 : 1; }
