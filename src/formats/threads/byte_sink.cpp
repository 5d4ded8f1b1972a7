#include <memory>
#include <utility>
#include <vector>

#include "threads/threads.hpp"
#include "threads/write_behind.hpp"

namespace clc::formats {

namespace {

class ThreadedByteSink final : public ByteSink {
 public:
  ThreadedByteSink(std::unique_ptr<ByteSink> inner, std::shared_ptr<Threads> threads)
      : inner_(std::move(inner)),
        behind_(
            [this](const std::vector<char>& block) {
              inner_->write({block.data(), block.size()});
            },
            std::move(threads)) {}

  void write(std::string_view bytes) override {
    if (!behind_.start()) return inner_->write(bytes);
    behind_.hand_over([bytes](std::vector<char>& block) { block.assign(bytes.begin(), bytes.end()); });
  }
  void flush() override {
    behind_.drain();
    inner_->flush();
  }
  void close() override {
    behind_.drain();
    inner_->close();
  }

 private:
  std::unique_ptr<ByteSink> inner_;
  WriteBehind<std::vector<char>, 2> behind_;
};

}  // namespace

std::unique_ptr<ByteSink> threaded(std::unique_ptr<ByteSink> inner, std::shared_ptr<Threads> threads) {
  return std::make_unique<ThreadedByteSink>(std::move(inner), std::move(threads));
}

}  // namespace clc::formats
