// A build without libotf2: archives are recognized and refused.
#include "clc/error.hpp"
#include "otf2/anchor.hpp"
#include "otf2/door.hpp"

namespace clc::otf2 {

namespace {

constexpr const char* without =
    "this program was built without libotf2; install libopen-trace-format2-dev and build it again";

}  // namespace

const bool built_in = false;

std::string library() { return "libotf2"; }

bool is_archive(const std::string& path) { return path != "-" && find_anchor(path).has_value(); }

OpenedSource open_archive(const std::string& path, const SourceOptions& /*options*/) {
  throw InputError(path + ": cannot be read as an OTF2 archive: " + without);
}

std::unique_ptr<Sink> create_archive(const std::string& path, const Definitions& /*definitions*/,
                                     const SinkOptions& /*options*/) {
  throw OutputError(path + ": cannot be written as an OTF2 archive: " + without);
}

}  // namespace clc::otf2
