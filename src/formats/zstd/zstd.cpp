#include "zstd/zstd.hpp"

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <new>
#include <vector>

#include "clc/error.hpp"

namespace clc::formats {

namespace {

/// True for an error other than too little memory, which is thrown.
bool failed(std::size_t result) {
  if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) throw std::bad_alloc();
  return ZSTD_isError(result) != 0;
}

class ZstdSource final : public ByteSource {
 public:
  ZstdSource(std::string name, std::unique_ptr<ByteSource> inner)
      : name_(std::move(name)), inner_(std::move(inner)), stream_(ZSTD_createDStream()), input_(ZSTD_DStreamInSize()) {
    if (!stream_) throw std::bad_alloc();
    wanted_ = ZSTD_initDStream(stream_.get());
    static_cast<void>(ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, largest_window_log));
  }

  std::size_t read(char* to, std::size_t capacity) override {
    if (!fault_.empty()) throw InputError(fault_);
    ZSTD_outBuffer out{to, capacity, 0};
    // A damaged frame: first what was decoded before it.
    const auto damaged = [&](std::string what) {
      fault_ = std::move(what);
      if (out.pos == 0) throw InputError(fault_);
      return out.pos;
    };
    for (;;) {
      if (position_ == filled_ && !ended_ && !held_back_) {
        // Blocks while the input pauses; what was decoded before has already been returned.
        filled_ = inner_->read(input_.data(), input_.size());
        position_ = 0;
        ended_ = filled_ == 0;
      }
      // Fed with no more than the rest of a block, zstd decodes one block per call: damage behind it then cannot
      // take its output with it. What it asks for includes the head of the next block, but not behind the last one:
      // the rest goes in byte by byte, so that what comes out does not depend on how the input arrives (but for a
      // stored block that is longer than its frame says: zstd takes what has arrived of it, or refuses that). What it
      // holds back is taken before it is fed.
      const std::size_t most = wanted_ > block_head ? wanted_ - block_head : 1;
      const std::size_t step = held_back_ ? 0 : std::min(filled_ - position_, most);
      ZSTD_inBuffer in{input_.data() + position_, step, 0};
      const std::size_t before = out.pos;
      const std::size_t result = ZSTD_decompressStream(stream_.get(), &out, &in);
      if (ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge)
        return damaged(name_ + ": found a zstd frame with a window of more than " +
                       std::to_string(1U << (largest_window_log - 20U)) +
                       " MiB, expected a smaller one; decompress it on the way: zstd -dc --long=31 FILE | ...");
      if (failed(result))
        return damaged(name_ + ": damaged zstd data at compressed offset " + std::to_string(decoded_) + " (" +
                       ZSTD_getErrorName(result) +
                       "); everything before it was read, the file needs to be copied or written again");
      position_ += in.pos;
      decoded_ += in.pos;
      if (in.pos > 0) inside_ = true;
      wanted_ = result;
      if (result == 0) inside_ = false;  // a frame is complete
      held_back_ = out.pos == capacity;
      // On as long as there is input: frames may be tiny.
      if (out.pos > 0 && (held_back_ || position_ == filled_)) return out.pos;
      if (ended_ && in.pos == 0 && out.pos == before) {
        if (inside_)
          throw InputError(name_ + ": ends inside a zstd frame at compressed offset " + std::to_string(decoded_) +
                           ", expected its end; everything before it was read, the file is truncated");
        return 0;
      }
    }
  }
  [[nodiscard]] std::uint64_t consumed() const noexcept override { return inner_->consumed(); }
  [[nodiscard]] std::uint64_t total() const noexcept override { return inner_->total(); }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const noexcept { ZSTD_freeDStream(stream); }
  };
  static constexpr std::size_t block_head = 3;
  static constexpr int largest_window_log = 29;  ///< memory: as much as zstd --long=29 asks for, 512 MiB

  std::string name_;
  std::unique_ptr<ByteSource> inner_;
  std::unique_ptr<ZSTD_DStream, Free> stream_;
  std::vector<char> input_;
  std::size_t filled_ = 0;
  std::size_t position_ = 0;
  std::size_t wanted_ = 1;
  std::uint64_t decoded_ = 0;  ///< compressed bytes decoded
  bool inside_ = false;        ///< in the middle of a frame
  bool held_back_ = false;     ///< the last output was full: there may be more without further input
  bool ended_ = false;
  std::string fault_;  ///< thrown by the next read
};

class ZstdSink final : public ByteSink {
 public:
  ZstdSink(std::unique_ptr<ByteSink> inner, int level)
      : inner_(std::move(inner)), stream_(ZSTD_createCStream()), output_(ZSTD_CStreamOutSize()) {
    if (level < ZSTD_minCLevel() || level > ZSTD_maxCLevel())
      throw UsageError("zstd level " + std::to_string(level) + ": expected a number from " +
                       std::to_string(ZSTD_minCLevel()) + " to " + std::to_string(ZSTD_maxCLevel()));
    if (!stream_) throw std::bad_alloc();
    check(ZSTD_CCtx_setParameter(stream_.get(), ZSTD_c_compressionLevel, level));
    check(ZSTD_CCtx_setParameter(stream_.get(), ZSTD_c_checksumFlag, 1));
  }

  void write(std::string_view bytes) override { run(bytes, ZSTD_e_continue); }
  void flush() override {
    run({}, ZSTD_e_flush);
    inner_->flush();
  }
  void close() override {
    run({}, ZSTD_e_end);
    inner_->close();
  }

 private:
  struct Free {
    void operator()(ZSTD_CStream* stream) const noexcept { ZSTD_freeCStream(stream); }
  };

  void run(std::string_view bytes, ZSTD_EndDirective directive) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    for (;;) {
      ZSTD_outBuffer out{output_.data(), output_.size(), 0};
      const std::size_t left = check(ZSTD_compressStream2(stream_.get(), &out, &in, directive));
      if (out.pos > 0) inner_->write({output_.data(), out.pos});
      if (directive == ZSTD_e_continue ? in.pos == in.size : left == 0) return;
    }
  }
  static std::size_t check(std::size_t result) {
    if (failed(result)) throw OutputError(std::string("zstd: ") + ZSTD_getErrorName(result));
    return result;
  }

  std::unique_ptr<ByteSink> inner_;
  std::unique_ptr<ZSTD_CStream, Free> stream_;
  std::vector<char> output_;
};

}  // namespace

bool is_zstd(std::string_view bytes) noexcept {
  if (bytes.size() < 4) return false;
  const bool frame = bytes.substr(0, 4) == "\x28\xB5\x2F\xFD";
  const bool skippable = (static_cast<unsigned char>(bytes[0]) & 0xF0U) == 0x50 && bytes.substr(1, 3) == "\x2A\x4D\x18";
  return frame || skippable;
}

std::unique_ptr<ByteSource> zstd_source(std::string name, std::unique_ptr<ByteSource> inner) {
  return std::make_unique<ZstdSource>(std::move(name), std::move(inner));
}

std::unique_ptr<ByteSink> zstd_sink(std::unique_ptr<ByteSink> inner, int level) {
  return std::make_unique<ZstdSink>(std::move(inner), level);
}

}  // namespace clc::formats
