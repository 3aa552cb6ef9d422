/// \file
/// The main function of every test program, compiled once: Catch2's own code takes longer to compile than any
/// test.
#define CATCH_CONFIG_RUNNER  // version 2: its code goes here
#include "common/testing/catch.hpp"

// Catch2's exit code is the number of failed assertions, and 77 of them would read as "skipped" to CTest.
int main(int argc, char** argv) {
  return Catch::Session().run(argc, argv) == 0 ? 0 : 1;
}
