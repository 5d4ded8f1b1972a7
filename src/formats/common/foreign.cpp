#include "common/foreign.hpp"

#include <array>
#include <filesystem>

namespace clc::formats {

namespace {

constexpr std::string_view convert = ", which cannot be read; convert it to text, see clc-trace(5)";
constexpr std::string_view unpack = "; unpack it, and name the trace in it (of an OTF2 archive the .otf2 file)";
constexpr std::string_view anchor = "; name the anchor file of the archive, NAME.otf2";
constexpr std::string_view of_tau = ", which cannot be read; record with TAU_TRACE_FORMAT=otf2";

/// A file of another program: how its name ends, or its content begins.
struct Foreign {
  std::string_view sign;
  std::string_view what;
  std::string_view remedy;
};
constexpr std::array names{
    Foreign{".tar.gz", "a compressed tar archive", unpack},
    Foreign{".tgz", "a compressed tar archive", unpack},
    Foreign{".tar.xz", "a compressed tar archive", unpack},
    Foreign{".txz", "a compressed tar archive", unpack},
    Foreign{".tar.bz2", "a compressed tar archive", unpack},
    Foreign{".tbz2", "a compressed tar archive", unpack},
    Foreign{".tar.lz4", "a compressed tar archive", unpack},
    Foreign{".tar.zst", "a compressed tar archive", unpack},
    Foreign{".tar", "a tar archive", unpack},
    Foreign{".evt", "one file of an OTF2 archive", anchor},
    Foreign{".def", "one file of an OTF2 archive", anchor},
    Foreign{".snap", "one file of an OTF2 archive", anchor},
    Foreign{".prv", "a Paraver trace", convert},
    Foreign{".slog2", "an SLOG-2 trace", convert},
    Foreign{".edf", "an event file of TAU", of_tau},
    Foreign{".trc", "a trace of TAU", of_tau},
};
constexpr std::array contents{
    Foreign{std::string_view("PK\3\4", 4), "a ZIP archive", unpack},
    Foreign{"7z\xbc\xaf\x27\x1c", "a 7z archive", unpack},
    Foreign{"\x04\x22\x4d\x18", "compressed with lz4", "; use lz4 -dc FILE | ..."},
    Foreign{"#Paraver", "a Paraver trace", convert},
    Foreign{"\xc1\x1f\xfc\xc1", "a stream of a CTF trace", convert},
    Foreign{"\xc1\xfc\x1f\xc1", "a stream of a CTF trace", convert},
    Foreign{"/* CTF 1", "the metadata of a CTF trace", convert},
};

/// Keys of JSON documents, looked for among the first bytes.
constexpr std::array keys{
    Foreign{"\"resourceSpans\"", "a trace of OpenTelemetry in JSON", convert},
    Foreign{"\"traceID\"", "a trace of Jaeger in JSON", convert},
    Foreign{"\"deviceProperties\"", "a trace of PyTorch's profiler (Kineto) in JSON", convert},
    Foreign{"\"schemaVersion\"", "a trace of PyTorch's profiler (Kineto) in JSON", convert},
    Foreign{"\"traceEvents\"", "a Chrome trace, which can only be written", {}},
    Foreign{"\"ph\"", "a Chrome trace, which can only be written", {}},
};

std::string says(std::string_view what, std::string_view remedy) {
  return "is " + std::string(what) + std::string(remedy);
}

}  // namespace

std::optional<std::string> foreign(std::string_view path, std::string_view start) {
  for (const Foreign& entry : contents)
    if (start.starts_with(entry.sign)) return says(entry.what, entry.remedy);
  if (start.size() >= 262 && start.substr(257, 5) == "ustar") return says("a tar archive", unpack);
  if (start.starts_with('{') || start.starts_with('[')) {
    for (const Foreign& entry : keys)
      if (start.find(entry.sign) != std::string_view::npos) return says(entry.what, entry.remedy);
    return says("JSON of a kind that is not known", convert);
  }
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  if (name.starts_with("dumpi-") && name.ends_with(".bin")) return says("a trace of DUMPI", convert);
  for (const Foreign& entry : names)
    if (name.ends_with(entry.sign)) return says(entry.what, entry.remedy);
  return std::nullopt;
}

std::optional<std::string> foreign_folder(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_regular_file(fs::path(path) / "metadata", error)) return says("a CTF trace", convert);
  fs::directory_iterator entries(path, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const std::string extension = entries->path().extension().string();
    if (extension == ".edf" || extension == ".trc") return says("a folder with traces of TAU", of_tau);
  }
  return std::nullopt;
}

}  // namespace clc::formats
