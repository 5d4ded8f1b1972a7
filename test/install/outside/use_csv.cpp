// Converts between CSV and the formats of the library, and corrects: use_csv FROM TO [correct]
//
// A name that ends in .csv is CSV; other traces are recognised by content, and written as text.
#include <clc/filter.hpp>
#include <clc/io/format.hpp>
#include <iostream>

#include "csv.hpp"

namespace {

bool is_csv(const std::string& path) { return path.ends_with(".csv"); }

std::unique_ptr<clc::Source> open(const std::string& path) {
  return is_csv(path) ? std::make_unique<csv::Source>(path) : clc::open_source(path).source;
}

std::unique_ptr<clc::Sink> create(const std::string& path, const clc::Source& source) {
  if (is_csv(path)) return std::make_unique<csv::Sink>(path, source.definitions(), source.decoder());
  clc::SinkOptions options;
  options.body_format = clc::Format::binary;  // the encoding of csv::Source
  options.decoder = &source.decoder();
  return clc::open_sink(path, source.definitions(), options);
}

/// Emits records as they are.
struct Copier {
  clc::EventSink& sink;
  void push(std::span<const clc::Event> events, std::span<const clc::Body> bodies) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      const clc::Corrected same{events[i].time, events[i].time, events[i].process, bodies[i]};
      sink.events({&same, 1});
    }
  }
  void note(clc::Body line) { sink.note(line); }
};

template <class Stage>
void run(clc::Source& source, Stage& stage) {
  clc::Batch batch;
  for (bool more = true; more;) {
    more = source.read(batch);
    clc::pass_on(batch, stage);
  }
}

}  // namespace

int main(int count, char** arguments) try {
  const auto source = open(arguments[1]);
  const auto sink = create(arguments[2], *source);
  if (count > 3) {
    clc::Filter filter(clc::Parameters{}, source->definitions(), *sink);
    run(*source, filter);
    filter.finish();
  } else {
    Copier copier{*sink};
    run(*source, copier);
  }
  sink->close();
} catch (const clc::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
