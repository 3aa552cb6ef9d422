#include "chapters/07_partial_and_strided/chapter.cuh"

int main(int argc, char** argv) {
  return ropewalk::chapter_main(argc, argv, ropewalk::strided::chapter());
}
