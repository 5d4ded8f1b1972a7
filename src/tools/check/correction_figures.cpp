#include "correction_figures.hpp"

#include <cmath>

namespace clc::check {

void IntervalErrors::add(Ticks before, Ticks after, ProcessIndex process, const Stamp& stamp) {
  const Ticks change = subtract_saturating(after, before);
  const Ticks size = change < 0 ? subtract_saturating(0, change) : change;
  largest_change = std::max(largest_change, size);
  lengths += static_cast<double>(before);
  changes += std::fabs(static_cast<double>(change));
  if (before <= 0) {
    if (change == 0 && before == 0) {
      ++exact;
      all.add(0);
    } else {
      ++zero_widened;
    }
    return;
  }
  const double error = static_cast<double>(size) / static_cast<double>(before);
  if (size != 0 && error > all.largest()) {
    largest_at = stamp;
    largest_in = process;
  }
  all.add(error);
  if (size == 0) {
    ++exact;
    return;
  }
  Class& kind = error <= small_limit ? small : large;
  ++kind.count;
  kind.sum += error;
  kind.largest = std::max(kind.largest, error);
}

void TruthErrors::add_event(const Stamp& stamp) {
  for (const Column column : {recorded, corrected}) offsets[column].add(stamp.time[truth], stamp.time[column]);
}

void TruthErrors::add_interval(const std::array<Ticks, columns>& lengths) {
  for (const Column column : {recorded, corrected}) {
    const double error = std::fabs(static_cast<double>(subtract_saturating(lengths[column], lengths[truth])));
    intervals[column].add(error);
    if (lengths[truth] > 0) relative_intervals[column].add(error / static_cast<double>(lengths[truth]));
  }
}

void TruthErrors::add_message(const Message& message, const Edge& edge) {
  const Ticks true_delay = edge.delay(truth);
  faster += true_delay < edge.mu;
  const bool nodes_known = message.sender_node != no_node && message.receiver_node != no_node;
  const bool one_node = message.sender_node == message.receiver_node;
  for (const Column column : {recorded, corrected}) {
    const double error = std::fabs(static_cast<double>(subtract_saturating(edge.delay(column), true_delay)));
    delays[column].add(error);
    if (nodes_known) (one_node ? within_nodes : between_nodes)[column].add(error);
  }
}

}  // namespace clc::check
