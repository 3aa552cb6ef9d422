#include "chapters/06_interleaved/chapter.cuh"

int main(int argc, char** argv) {
  return ropewalk::chapter_main(argc, argv, ropewalk::interleaved::chapter());
}
