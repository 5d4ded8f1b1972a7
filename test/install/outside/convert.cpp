// Links against all of the library: reads a trace, corrects it, writes it in binary and reports.
#include <clc/filter.hpp>
#include <clc/io/batch.hpp>
#include <clc/io/format.hpp>
#include <clc/report.hpp>
#include <iostream>

int main(int, char** arguments) {
  auto opened = clc::open_source(arguments[1]);
  clc::Source& source = *opened.source;
  clc::SinkOptions options;
  options.format = clc::Format::binary;
  options.zstd_level = 3;
  options.body_format = opened.format;
  options.decoder = &source.decoder();
  const auto sink = clc::open_sink(arguments[2], source.definitions(), options);
  const clc::Parameters parameters;
  clc::Filter filter(parameters, source.definitions(), *sink);
  clc::Batch batch;
  for (bool more = true; more;) {
    more = source.read(batch);
    clc::pass_on(batch, filter);
  }
  filter.finish();
  sink->close();
  clc::Report(filter.analysis(), source.definitions(), parameters, {}).write_text(std::cout);
}
