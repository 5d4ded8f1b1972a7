// Writes SVG: numbers short, text escaped, colours by class (see figure.css), so that light and dark are a matter of
// style.
#pragma once

#include <string>
#include <string_view>

namespace clc::view {

/// What does not print (see trace/printable.hpp) as U+FFFD.
[[nodiscard]] std::string clean(std::string_view text);
/// The same, with & < > " as entities.
[[nodiscard]] std::string escaped(std::string_view text);
/// At most longest letters, 1 or more: what is too much is left out of the middle, with an ellipsis in its place.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t longest);
/// Columns a text takes; letters of two columns are not expected in names of processes.
[[nodiscard]] std::size_t letter_count(std::string_view text);
/// At most `behind` digits behind the point.
[[nodiscard]] std::string fixed(double value, int behind);
/// A coordinate: at most two digits behind the point.
[[nodiscard]] std::string coordinate(double value);

/// "r" and 3: "r3", a class of figure.css.
[[nodiscard]] std::string numbered(std::string_view prefix, std::size_t number);

enum class Anchor { start, middle, end };

class Svg {
 public:
  /// name: the figure, as --svg takes it; label: what it shows, for those who do not see it.
  Svg(std::string_view name, double width, double height, std::string_view label);

  void line(std::string_view style, double x1, double y1, double x2, double y2);
  void rect(std::string_view style, double x, double y, double width, double height, std::string_view title = {});
  /// title: shown where the pointer rests, if it says more than the text.
  void text(double x, double y, std::string_view text, Anchor anchor = Anchor::start, std::string_view style = {},
            std::string_view title = {});
  void path(std::string_view style, const std::string& path);
  /// Written as it is.
  void raw(std::string_view text) { out_ += text; }

  [[nodiscard]] std::string finish();

 private:
  std::string out_;
};

/// The d of a path.
class Path {
 public:
  void move(double x, double y) { point('M', x, y); }
  void line(double x, double y) { point('L', x, y); }
  /// Begins a path that is empty.
  void to(double x, double y) { empty() ? move(x, y) : line(x, y); }
  void rect(double x, double y, double width, double height);
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  void point(char letter, double x, double y);
  std::string text_;
};

}  // namespace clc::view
