#include <iostream>
#include <streambuf>

#include "common/program.hpp"
#include "filter_mpi/run.hpp"

namespace {

/// Takes what processes other than the first would print a second time.
class Silence final : public std::streambuf {
 protected:
  int_type overflow(int_type letter) override { return traits_type::not_eof(letter); }
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 0;
  {
    clc::filter_mpi::MpiPartners partners(MPI_COMM_WORLD);
    Silence silence;
    std::streambuf* const out = std::cout.rdbuf();
    std::streambuf* const err = std::cerr.rdbuf();
    if (partners.rank() != 0) {
      std::cout.rdbuf(&silence);
      std::cerr.rdbuf(&silence);
    }
    status = clc::tool::run_program(
        "clc-filter-mpi",
        [&] {
          const auto options = clc::filter_mpi::parse(argc, argv);
          return options ? clc::filter_mpi::run(*options, partners) : clc::tool::status_ok;
        },
        "try a lower --max-memory or more processes");
    std::cout.rdbuf(out);
    std::cerr.rdbuf(err);
  }
  MPI_Finalize();
  return status;
}
