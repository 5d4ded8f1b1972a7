#include "paje/body.hpp"

#include <algorithm>

namespace clc::formats::paje {

namespace {

void append_number(std::string& to, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7U) to.push_back(static_cast<char>(number | 0x80U));
  to.push_back(static_cast<char>(number));
}

std::uint64_t take_number(Body& from) noexcept {
  std::uint64_t number = 0;
  for (unsigned shift = 0; !from.empty() && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(from.front());
    from.remove_prefix(1);
    number |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) break;
  }
  return number;
}

}  // namespace

void append(std::string& body, const Parts& parts) {
  body.push_back(static_cast<char>(parts.flags));
  body.push_back(static_cast<char>(parts.decimals));
  append_number(body, parts.time_at);
  append_number(body, parts.time_size);
  append_number(body, parts.line.size());
  body.append(parts.line);
  if ((parts.flags & last) == 0) return;
  append_number(body, parts.processes.size());
  for (const ProcessIndex process : parts.processes) append_number(body, process);
}

Parts take_apart(Body body, Body& record) {
  Parts parts;
  parts.flags = static_cast<unsigned char>(body[0]);
  parts.decimals = static_cast<unsigned char>(body[1]);
  body.remove_prefix(2);
  parts.time_at = static_cast<std::size_t>(take_number(body));
  parts.time_size = static_cast<std::size_t>(take_number(body));
  const auto size = static_cast<std::size_t>(take_number(body));
  parts.line = body.substr(0, size);
  body.remove_prefix(std::min(size, body.size()));
  if ((parts.flags & last) != 0) {
    parts.processes.resize(static_cast<std::size_t>(take_number(body)));
    for (ProcessIndex& process : parts.processes) process = static_cast<ProcessIndex>(take_number(body));
  }
  record = body;
  return parts;
}

}  // namespace clc::formats::paje
