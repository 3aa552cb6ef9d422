#include "chapters/05_tile_api/chapter.cuh"

int main(int argc, char** argv) {
  return ropewalk::chapter_main(argc, argv, ropewalk::tiles::chapter());
}
