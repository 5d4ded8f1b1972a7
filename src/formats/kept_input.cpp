#include "kept_input.hpp"

#include <unistd.h>

#include <vector>

#include "bytes/temporary.hpp"
#include "clc/io/format.hpp"
#include "zstd/zstd.hpp"

namespace clc {

namespace {

using namespace formats;

class TemporarySink final : public ByteSink {
 public:
  TemporarySink(int file, std::uint64_t& size) : file_(file), size_(size) {}
  void write(std::string_view bytes) override {
    write_temporary(file_, bytes.data(), bytes.size(), size_);
    size_ += bytes.size();
  }
  void flush() override {}
  void close() override {}

 private:
  int file_;
  std::uint64_t& size_;
};

class TemporarySource final : public ByteSource {
 public:
  TemporarySource(std::shared_ptr<const KeptInput> kept, int file, std::uint64_t size)
      : kept_(std::move(kept)), file_(file), size_(size) {}
  std::size_t read(char* to, std::size_t capacity) override {
    const std::size_t got = read_temporary(file_, to, capacity, consumed_);
    consumed_ += got;
    return got;
  }
  [[nodiscard]] std::uint64_t consumed() const noexcept override { return consumed_; }
  [[nodiscard]] std::uint64_t total() const noexcept override { return size_; }

 private:
  std::shared_ptr<const KeptInput> kept_;
  int file_;
  std::uint64_t size_;
  std::uint64_t consumed_ = 0;
};

}  // namespace

KeptInput::KeptInput(std::string name, ByteSource& input, bool packs)
    : name_(std::move(name)), file_(open_temporary()), packed_(packs) {
  try {
    std::unique_ptr<ByteSink> to = std::make_unique<TemporarySink>(file_, size_);
    if (packed_) to = zstd_sink(std::move(to), 1);
    std::vector<char> block(std::size_t{1} << 17);
    while (const std::size_t got = input.read(block.data(), block.size())) to->write({block.data(), got});
    to->close();
  } catch (...) {
    ::close(file_);
    throw;
  }
}

KeptInput::~KeptInput() { ::close(file_); }

std::unique_ptr<ByteSource> KeptInput::open() const {
  std::unique_ptr<ByteSource> source = std::make_unique<TemporarySource>(shared_from_this(), file_, size_);
  return packed_ ? zstd_source(name_, std::move(source)) : std::move(source);
}

}  // namespace clc
