// Writes simulated records to a trace file of any format.
//
// Assumes  Indexes of processes and communicators are their numbers.
// Cost     The payload of a record is its Point, without any encoding. The sink calls the decoder once per
//          record, so every format that has a sink can be written.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/io/format.hpp"
#include "clc/io/record.hpp"
#include "clc/io/source.hpp"
#include "recorder.hpp"
#include "scenarios.hpp"

namespace clc::tracegen {

/// Reads the bytes of a Point.
class PointDecoder final : public BodyDecoder {
 public:
  [[nodiscard]] Record decode(Body body) const override;
};

class TraceWriter final : public Output {
 public:
  /// Opens path and writes the definitions.
  TraceWriter(const std::string& path, const SinkOptions& options, const Settings& settings, const Plan& plan);

  void points(std::span<const Placed> run) override;
  void communicator(CommunicatorIndex number, std::span<const ProcessIndex> members) override;
  void line(const std::string& text) override { sink_->note(text); }
  void close() { sink_->close(); }
  /// What the format could not carry; complete after close.
  [[nodiscard]] std::vector<std::string> warnings() const { return sink_->warnings(); }

 private:
  /// The least delays of the messages, as the program takes them.
  void min_delay(const Settings& settings);

  PointDecoder decoder_;
  Definitions definitions_;
  std::unique_ptr<Sink> sink_;
  std::vector<Corrected> run_;
};

}  // namespace clc::tracegen
