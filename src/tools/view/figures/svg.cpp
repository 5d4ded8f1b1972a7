#include "view/figures/svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "trace/printable.hpp"

namespace clc::view {

namespace {

std::string_view name_of(Anchor anchor) { return anchor == Anchor::middle ? "middle" : "end"; }

}  // namespace

std::string clean(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    if (is_printable(letter.code))
      out += text.substr(0, letter.length);
    else
      out += "\xEF\xBF\xBD";
    text.remove_prefix(letter.length);
  }
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char letter : clean(text)) {
    if (letter == '&')
      out += "&amp;";
    else if (letter == '<')
      out += "&lt;";
    else if (letter == '>')
      out += "&gt;";
    else if (letter == '"')
      out += "&quot;";
    else
      out += letter;
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t longest) {
  std::vector<std::size_t> letters;  // where they begin
  for (std::size_t at = 0; at < text.size();) {
    letters.push_back(at);
    at += first_letter(text.substr(at)).length;
  }
  if (letters.size() <= longest) return std::string(text);
  // Names often differ at their end.
  const std::size_t front = (longest - 1) * 2 / 5;
  const std::size_t back = longest - 1 - front;
  std::string out(text.substr(0, letters[front]));
  out += "\xE2\x80\xA6";
  if (back != 0) out += text.substr(letters[letters.size() - back]);
  return out;
}

std::size_t letter_count(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char letter) { return (static_cast<unsigned char>(letter) & 0xc0U) != 0x80; }));
}

std::string fixed(double value, int behind) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", behind, value);
  std::string out = text.data();
  if (out.find('.') != std::string::npos) {
    while (out.back() == '0') out.pop_back();
    if (out.back() == '.') out.pop_back();
  }
  return out == "-0" ? "0" : out;
}

std::string coordinate(double value) { return fixed(std::round(value * 100) / 100, 2); }

std::string numbered(std::string_view prefix, std::size_t number) {
  return std::string(prefix).append(std::to_string(number));
}

Svg::Svg(std::string_view name, double width, double height, std::string_view label) {
  out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"figure\" data-figure=\"" + std::string(name) +
         "\" viewBox=\"0 0 " + coordinate(width) + ' ' + coordinate(height) + "\" role=\"img\" aria-label=\"" +
         escaped(label) + "\">\n";
}

void Svg::line(std::string_view style, double x1, double y1, double x2, double y2) {
  out_ += "<line class=\"" + std::string(style) + "\" x1=\"" + coordinate(x1) + "\" y1=\"" + coordinate(y1) +
          "\" x2=\"" + coordinate(x2) + "\" y2=\"" + coordinate(y2) + "\"/>\n";
}

void Svg::rect(std::string_view style, double x, double y, double width, double height, std::string_view title) {
  out_ += "<rect class=\"" + std::string(style) + "\" x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) +
          "\" width=\"" + coordinate(width) + "\" height=\"" + coordinate(height) + '"';
  out_ += title.empty() ? "/>\n" : "><title>" + escaped(title) + "</title></rect>\n";
}

void Svg::text(double x, double y, std::string_view text, Anchor anchor, std::string_view style,
               std::string_view title) {
  out_ += "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + '"';
  if (anchor != Anchor::start) out_ += " text-anchor=\"" + std::string(name_of(anchor)) + '"';
  if (!style.empty()) out_ += " class=\"" + std::string(style) + '"';
  out_ += '>' + escaped(text);
  if (!title.empty() && title != text) out_ += "<title>" + escaped(title) + "</title>";
  out_ += "</text>\n";
}

void Svg::path(std::string_view style, const std::string& path) {
  if (!path.empty()) out_ += "<path class=\"" + std::string(style) + "\" d=\"" + path + "\"/>\n";
}

std::string Svg::finish() { return out_ + "</svg>\n"; }

void Path::point(char letter, double x, double y) { text_ += letter + coordinate(x) + ' ' + coordinate(y); }

void Path::rect(double x, double y, double width, double height) {
  move(x, y);
  text_ += 'h' + coordinate(width) + 'v' + coordinate(height) + 'h' + coordinate(-width) + 'z';
}

}  // namespace clc::view
