#include "chapters/03_naive/chapter.cuh"

int main(int argc, char** argv) {
  return ropewalk::chapter_main(argc, argv, ropewalk::naive::chapter());
}
