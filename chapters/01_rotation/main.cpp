#include "chapters/01_rotation/chapter.hpp"

int main(int argc, char** argv) {
  return ropewalk::chapter_main(argc, argv, ropewalk::rotation::chapter());
}
