#include "common/program.hpp"
#include "filter/run.hpp"

int main(int argc, char** argv) {
  return clc::tool::run_program(
      clc::filter::program,
      [=] {
        const auto options = clc::filter::parse(argc, argv);
        return options ? clc::filter::run(*options) : clc::tool::status_ok;
      },
      "try a lower --max-memory or a shorter --wait-limit");
}
