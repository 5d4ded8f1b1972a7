// Base class of sources that wrap another source.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "clc/io/source.hpp"

namespace clc::formats {

/// Forwards everything except reading to the wrapped source.
class Decorator : public Source {
 public:
  explicit Decorator(std::unique_ptr<Source> inner) : inner_(std::move(inner)) {}
  [[nodiscard]] const Definitions& definitions() const noexcept override { return inner_->definitions(); }
  [[nodiscard]] const BodyDecoder& decoder() const noexcept override { return inner_->decoder(); }
  [[nodiscard]] std::string describe(std::uint64_t place) const override { return inner_->describe(place); }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept override { return inner_->bytes_read(); }
  [[nodiscard]] std::uint64_t bytes_total() const noexcept override { return inner_->bytes_total(); }
  [[nodiscard]] std::vector<std::string> warnings() const override { return inner_->warnings(); }
  [[nodiscard]] std::vector<std::string> remarks() const override { return inner_->remarks(); }
  [[nodiscard]] Body added_body() const override { return inner_->added_body(); }

 protected:
  [[nodiscard]] Source& inner() noexcept { return *inner_; }

 private:
  std::unique_ptr<Source> inner_;
};

}  // namespace clc::formats
