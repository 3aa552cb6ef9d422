#include "chapters/02_cpu_reference/chapter.hpp"

int main(int argc, char** argv) {
  return ropewalk::chapter_main(argc, argv, ropewalk::reference::chapter());
}
