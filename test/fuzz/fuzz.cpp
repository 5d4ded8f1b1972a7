#include "fuzz.hpp"

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "binary/binary.hpp"
#include "chrome/chrome.hpp"
#include "clc/error.hpp"
#include "clc/filter.hpp"
#include "clc/io/batch.hpp"
#include "clc/io/record.hpp"
#include "clc/report.hpp"
#include "common/order.hpp"
#include "paje/paje.hpp"
#include "text/text.hpp"

namespace clc::fuzz {

void broken(const std::string& what) {
  std::fprintf(stderr, "fuzz: %s\n", what.c_str());
  std::abort();
}

void require_message(std::string_view message) {
  if (message.empty()) broken("an empty message");
  for (const char c : message)
    if (static_cast<unsigned char>(c) < 0x20) broken("a message with control characters: " + std::string(message));
}

namespace {

void read_into(Trace& trace, Source& source) {
  Batch batch;
  for (bool more = true; more;) {
    more = source.read(batch);
    require(batch.bodies.size() == batch.events.size() && batch.places.size() == batch.events.size(),
            "events, bodies and places are not as many");
    for (const Batch::Note& note : batch.notes) {
      require(note.before <= batch.events.size(), "a note stands outside of its batch");
      trace.notes.emplace_back(trace.events.size() + note.before, std::string(note.line));
    }
    trace.events.insert(trace.events.end(), batch.events.begin(), batch.events.end());
    for (const Body body : batch.bodies) {
      static_cast<void>(source.decoder().decode(body));
      trace.bodies.emplace_back(body);
    }
    for (const std::uint64_t place : batch.places) require_message(source.describe(place));
    trace.definitions = source.definitions();
  }
  for (const std::string& warning : source.warnings()) require_message(warning);
}

std::unique_ptr<Source> ordered(std::unique_ptr<Source> source, Ticks window) {
  return window > 0 ? formats::sorted_within(std::move(source), window, SourceOptions::default_sort_memory)
                    : formats::checked(std::move(source));
}

using NewSink = std::unique_ptr<Sink> (*)(std::unique_ptr<formats::ByteSink>, const Definitions&, const SinkOptions&);

NewSink sink_of(Format format) {
  switch (format) {
    case Format::text:
      return formats::text_sink;
    case Format::paje:
      return formats::paje_sink;
    case Format::chrome:
      return formats::chrome_sink;
    default:
      return formats::binary_sink;
  }
}

/// Reads bytes again, `most` at a time, and writes them in another format, through the clock or not.
std::string convert(Open open, Format from, std::string_view bytes, std::size_t most, Format to,
                    const Parameters* clock) {
  std::string written;
  const std::unique_ptr<Source> source =
      ordered(open("input", std::make_unique<MemorySource>(bytes, most), ClockOf::process), 0);
  SinkOptions options;
  options.format = to;
  options.body_format = from;
  options.decoder = &source->decoder();
  const std::unique_ptr<Sink> sink = sink_of(to)(std::make_unique<MemorySink>(written), source->definitions(), options);
  std::unique_ptr<Filter> filter;
  if (clock != nullptr) filter = std::make_unique<Filter>(*clock, source->definitions(), *sink);
  Batch batch;
  try {
    for (bool more = true; more;) {
      more = source->read(batch);
      std::size_t next = 0;
      const auto pass = [&](std::size_t end) {
        for (; next < end; ++next) {
          const Event& event = batch.events[next];
          if (filter) {
            filter->push(event, batch.bodies[next]);
          } else {
            const Corrected corrected{event.time, event.time, event.process, batch.bodies[next]};
            sink->events({&corrected, 1});
          }
        }
      };
      for (const Batch::Note& note : batch.notes) {
        pass(note.before);
        filter ? filter->note(note.line) : sink->note(note.line);
      }
      pass(batch.events.size());
    }
  } catch (const InputError&) {  // what was readable passes
  }
  if (filter) {
    filter->finish();
    RunFacts facts;
    const Report report(filter->analysis(), source->definitions(), *clock, facts);
    std::ostringstream text;
    report.write_text(text);
    report.write_json(text);
  }
  sink->close();
  return written;
}

}  // namespace

Trace read(Open open, std::string_view bytes, std::size_t most, Ticks window) {
  Trace trace;
  try {
    const std::unique_ptr<Source> source =
        ordered(open("input", std::make_unique<MemorySource>(bytes, most), ClockOf::process), window);
    read_into(trace, *source);
  } catch (const InputError& error) {
    trace.error = error.what();
    require_message(trace.error);
  }
  return trace;
}

void require_reader(Open open, Format format, std::string_view bytes) {
  const std::size_t all = bytes.size() + 1;
  const Trace whole = read(open, bytes, all, 0);
  const std::size_t most = bytes.size() < 256 ? 1 : 1 + bytes.size() % 61;
  const Trace pieces = read(open, bytes, most, 0);
  require(whole.same_records(pieces) && whole.bodies == pieces.bodies, "read in pieces, the trace is another");
  static_cast<void>(read(open, bytes, all, 1000));
  if (whole.events.empty() && !whole.error.empty()) return;

  const std::string binary = convert(open, format, bytes, all, Format::binary, nullptr);
  const Trace from_binary = read(formats::binary_source, binary, binary.size(), 0);
  if (!from_binary.error.empty()) broken("what was written in binary cannot be read: " + from_binary.error);
  require(from_binary.events == whole.events, "events change by way of the binary format");
  const std::string text =
      convert(formats::binary_source, Format::binary, binary, binary.size(), Format::text, nullptr);
  const Trace from_text = read(formats::text_source, text, text.size(), 0);
  if (!from_text.error.empty()) broken("what was written in text cannot be read: " + from_text.error);
  require(from_text.events == whole.events, "events change by way of the text format");

  const Parameters parameters;
  const std::string corrected = convert(open, format, bytes, all, Format::text, &parameters);
  require(convert(open, format, bytes, most, Format::text, &parameters) == corrected,
          "read in pieces, the correction is another");
  for (const Format to : {Format::paje, Format::chrome})
    require(!convert(open, format, bytes, all, to, &parameters).empty(), "nothing is written");
  const Trace result = read(formats::text_source, corrected, corrected.size(), 0);
  if (!result.error.empty()) broken("the corrected trace cannot be read: " + result.error);
  require(result.events.size() == whole.events.size(), "the corrected trace has another number of events");
}

}  // namespace clc::fuzz
