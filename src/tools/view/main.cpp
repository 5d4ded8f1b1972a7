// clc-view: a page of pictures of a trace and its correction.

#include "common/program.hpp"
#include "view/options.hpp"
#include "view/run.hpp"

int main(int argc, char** argv) {
  return clc::tool::run_program("clc-view", [&] {
    const auto options = clc::view::parse(argc, argv);
    return options ? clc::view::run(*options) : clc::tool::status_ok;
  });
}
