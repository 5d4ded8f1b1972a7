#include "otf2/writer.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <vector>

namespace clc::otf2 {

namespace {

constexpr std::size_t chunk_memory = std::size_t{4} << 20;

/// What libotf2 asks for: memory for chunks, and whether a full buffer may be written out.
struct Memory {
  static void* allocate(void* /*user*/, OTF2_FileType type, OTF2_LocationRef /*location*/, void** buffer,
                        std::uint64_t size) {
    if (*buffer == nullptr) *buffer = new (std::nothrow) std::vector<void*>;
    auto* const chunks = static_cast<std::vector<void*>*>(*buffer);
    if (chunks == nullptr) return nullptr;
    // No further chunk: libotf2 writes out what it has.
    const std::size_t most = std::max<std::size_t>(2, chunk_memory / std::max<std::uint64_t>(1, size));
    if (type == OTF2_FILETYPE_EVENTS && chunks->size() >= most) return nullptr;
    void* const chunk = std::malloc(size);
    if (chunk != nullptr) chunks->push_back(chunk);
    return chunk;
  }
  static void release(void* /*user*/, OTF2_FileType /*type*/, OTF2_LocationRef /*location*/, void** buffer,
                      bool final) {
    auto* const chunks = static_cast<std::vector<void*>*>(*buffer);
    if (chunks == nullptr) return;
    for (void* const chunk : *chunks) std::free(chunk);
    chunks->clear();
    if (!final) return;
    delete chunks;
    *buffer = nullptr;
  }
  static OTF2_FlushType flush(void* /*user*/, OTF2_FileType /*type*/, OTF2_LocationRef /*location*/, void* /*caller*/,
                              bool /*final*/) {
    return OTF2_FLUSH;
  }
};

}  // namespace

WriterHandle create_writer(const std::string& folder, const std::string& archive, const std::string& name,
                           const Layout& layout) {
  keep_complaints();
  static_cast<void>(take_complaint());
  WriterHandle writer(OTF2_Archive_Open(folder.c_str(), archive.c_str(), OTF2_FILEMODE_WRITE, layout.event_chunk,
                                        layout.definition_chunk, OTF2_SUBSTRATE_POSIX, layout.compression));
  if (!writer) fail_output(name, "create the archive");
  static const OTF2_FlushCallbacks flush{&Memory::flush, nullptr};
  static const OTF2_MemoryCallbacks memory{&Memory::allocate, &Memory::release};
  check_output(OTF2_Archive_SetFlushCallbacks(writer.get(), &flush, nullptr), name, "create the archive");
  check_output(OTF2_Archive_SetMemoryCallbacks(writer.get(), &memory, nullptr), name, "create the archive");
  check_output(OTF2_Archive_SetSerialCollectiveCallbacks(writer.get()), name, "create the archive");
  return writer;
}

}  // namespace clc::otf2
