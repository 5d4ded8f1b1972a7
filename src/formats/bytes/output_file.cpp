#include <streambuf>
#include <utility>

#include "bytes/file.hpp"
#include "bytes/files.hpp"
#include "bytes/output_buffer.hpp"

namespace clc {

namespace {

class StreamBuffer final : public std::streambuf {
 public:
  explicit StreamBuffer(std::unique_ptr<formats::ByteSink> bytes) : buffer_(std::move(bytes)) {}
  void close() { buffer_.close(); }

 private:
  int_type overflow(int_type letter) override {
    if (traits_type::eq_int_type(letter, traits_type::eof())) return traits_type::not_eof(letter);
    const char byte = traits_type::to_char_type(letter);
    buffer_.append({&byte, 1});
    return letter;
  }
  std::streamsize xsputn(const char* bytes, std::streamsize count) override {
    buffer_.append({bytes, static_cast<std::size_t>(count)});
    return count;
  }
  int sync() override {
    buffer_.flush();
    return 0;
  }

  formats::OutputBuffer buffer_;
};

}  // namespace

class OutputFile::Stream {
 public:
  Stream(const std::string& path, bool sync) : buffer_(formats::open_file_sink(path, true, sync)), stream_(&buffer_) {
    stream_.exceptions(std::ios::badbit);  // those of the sink come through
  }
  [[nodiscard]] std::ostream& stream() noexcept { return stream_; }
  void close() { buffer_.close(); }

 private:
  StreamBuffer buffer_;
  std::ostream stream_;
};

OutputFile::OutputFile(const std::string& path, bool sync) : stream_(std::make_unique<Stream>(path, sync)) {}
OutputFile::~OutputFile() = default;
std::ostream& OutputFile::stream() noexcept { return stream_->stream(); }
void OutputFile::close() { stream_->close(); }

}  // namespace clc
