#include "chapters/04_shared_memory/chapter.cuh"

int main(int argc, char** argv) {
  return ropewalk::chapter_main(argc, argv, ropewalk::shared_memory::chapter());
}
