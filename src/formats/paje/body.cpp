#include "paje/body.hpp"

#include "common/varint.hpp"

namespace clc::formats::paje {

namespace {

void append_number(std::string& to, std::uint64_t number) {
  char bytes[longest_varint];
  to.append(bytes, put_varint(bytes, number));
}

std::uint64_t take_number(Body& from) noexcept {
  const char* at = from.data();
  const std::uint64_t number = take_varint(at);
  from.remove_prefix(static_cast<std::size_t>(at - from.data()));
  return number;
}

std::string_view take_bytes(Body& from, std::size_t size) noexcept {
  const std::string_view bytes = from.substr(0, size);
  from.remove_prefix(bytes.size());
  return bytes;
}

}  // namespace

void append(std::string& body, const Parts& parts) {
  body.push_back(static_cast<char>(parts.flags));
  body.push_back(static_cast<char>(parts.decimals));
  append_number(body, parts.time_at);
  append_number(body, parts.time_size);
  append_number(body, parts.line.size());
  body.append(parts.line);
  if ((parts.flags & last) != 0) {
    append_number(body, parts.processes.size());
    for (const ProcessIndex process : parts.processes) append_number(body, process);
  }
  if ((parts.flags & outer) != 0) {
    append_number(body, parts.container);
    append_number(body, parts.life);
  }
  if ((parts.flags & inside) != 0) {
    append_number(body, parts.around.size());
    body.append(parts.around);
  }
}

void append(std::string& around, const Outer& outer) {
  append_number(around, outer.container);
  append_number(around, outer.life);
  append_number(around, static_cast<std::uint64_t>(outer.recorded.ticks()));
  append_number(around, outer.time_at);
  append_number(around, outer.time_size);
  append_number(around, outer.line.size());
  around.append(outer.line);
}

Outer take_outer(std::string_view& around) noexcept {
  Outer result;
  result.container = take_number(around);
  result.life = take_number(around);
  result.recorded = Time(static_cast<std::int64_t>(take_number(around)));
  result.time_at = static_cast<std::size_t>(take_number(around));
  result.time_size = static_cast<std::size_t>(take_number(around));
  result.line = take_bytes(around, static_cast<std::size_t>(take_number(around)));
  return result;
}

Parts take_apart(Body body, Body& record) {
  Parts parts;
  parts.flags = static_cast<unsigned char>(body[0]);
  parts.decimals = static_cast<unsigned char>(body[1]);
  body.remove_prefix(2);
  parts.time_at = static_cast<std::size_t>(take_number(body));
  parts.time_size = static_cast<std::size_t>(take_number(body));
  parts.line = take_bytes(body, static_cast<std::size_t>(take_number(body)));
  if ((parts.flags & last) != 0) {
    parts.processes.resize(static_cast<std::size_t>(take_number(body)));
    for (ProcessIndex& process : parts.processes) process = static_cast<ProcessIndex>(take_number(body));
  }
  if ((parts.flags & outer) != 0) {
    parts.container = take_number(body);
    parts.life = take_number(body);
  }
  if ((parts.flags & inside) != 0) parts.around = take_bytes(body, static_cast<std::size_t>(take_number(body)));
  record = body;
  return parts;
}

}  // namespace clc::formats::paje
