#include "view/page/page.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "common/program.hpp"
#include "view/figures/scale.hpp"
#include "view/figures/svg.hpp"
#include "view/page_parts.hpp"

namespace clc::view {

namespace {

/// What is said below the title of a figure: how to read it.
std::string caption(std::string_view figure, const Scene& scene) {
  if (figure == "delay-histogram")
    return "Distribution of the time from send to receive. Left of zero, in orange: received before they were sent, "
           "which is impossible.";
  if (figure == "delays")
    return "Rows send, columns receive. Orange: the clocks make messages arrive before they leave.";
  if (figure == "rates")
    return "Bytes divided by delay. Wrong clocks make some connections look many times faster or slower than they are.";
  if (figure == "corrections")
    return std::string(scene.model.corrections().any_earlier()
                           ? "How far the events of each process were moved; below zero: to earlier times."
                           : "How far the events of each process were moved: always to later times.") +
           std::string(scene.model.corrections().grid().rows() > 64
                           ? " A band reaches from the smallest to the largest correction in its group of processes; "
                             "the line in it is their median."
                           : "");
  if (figure == "clocks")
    return "Messages limit how far two clocks can differ: a message from the second process to the first gives an "
           "upper bound (upper line), a message back a lower bound (lower line). Where zero is not between the lines, "
           "the clocks contradict the messages." +
           std::string(scene.two_sides ? " Grey: as recorded. Blue: corrected." : "");
  if (figure == "offsets")
    return "How far each clock was ahead, beside a straight line from its first to its last point: what changes is its "
           "rate. Clocks that deviate most from their line stand first." +
           std::string(scene.report != nullptr ? " The band is the standard deviation either way." : "");
  if (figure == "intervals" && !scene.two_sides)
    return "Time between successive events of one process. Intervals of length 0 are not shown.";
  if (figure == "intervals")
    return "Recorded intervals between successive events of one process are accurate; the correction should not change "
           "them. Those of length 0 are not shown.";
  if (figure == "gamma")
    return "A clock that was moved ahead runs at \xCE\xB3 times its speed until the others have caught up. The lower "
           "the line, the more it is slowed down.";
  return {};
}

/// With one side there are no changes to show.
std::string_view title(const FigureInfo& figure, const Scene& scene) {
  return figure.name == "intervals" && !scene.two_sides ? "Lengths of local intervals" : figure.title;
}

std::string table_of(const Numbers& table) {
  std::string tables;
  tables += "<div class=\"table\" tabindex=\"0\"><table>\n";
  if (!table.title.empty()) tables += "<caption>" + escaped(table.title) + "</caption>\n";
  tables += "<thead><tr>";
  for (const std::string& name : table.head) tables += "<th scope=\"col\">" + escaped(name) + "</th>";
  tables += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : table.rows) {
    tables += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      tables += i == 0 ? "<th scope=\"row\">" + escaped(row[i]) + "</th>" : "<td>" + escaped(row[i]) + "</td>";
    tables += "</tr>\n";
  }
  tables += "</tbody></table></div>\n";
  if (!table.note.empty()) tables += "<p class=\"note\">" + escaped(table.note) + ".</p>\n";
  return tables;
}

/// The same for those who do not see figures.
std::string numbers_of(const FigureInfo& figure, const Scene& scene) {
  std::string tables;
  for (const Numbers& table : figure.numbers(scene)) tables += table_of(table);
  if (tables.empty()) return {};
  return "<details class=\"numbers\" data-of=\"" + std::string(figure.name) + "\">\n<summary>" +
         escaped(figure.name == "timeline" ? "Time in each region" : "The figure in numbers") + "</summary>\n" +
         tables + "</details>\n";
}

/// narrow: the same panels for a small screen; empty: those serve both.
std::string section(std::string_view title, std::string_view caption, const std::vector<std::string>& panels,
                    const std::vector<std::string>& narrow, const std::string& numbers) {
  std::string out =
      "<section" + std::string(narrow.empty() ? "" : " class=\"wide\"") + ">\n<h2>" + escaped(title) + "</h2>\n";
  if (!caption.empty()) out += "<p class=\"lead\">" + escaped(caption) + "</p>\n";
  out += "<div class=\"panels\">\n";
  for (const std::string& panel : panels) out += "<figure>" + panel + "</figure>\n";
  for (const std::string& panel : narrow) out += "<figure class=\"narrow\">" + panel + "</figure>\n";
  return out + "</div>\n" + numbers + "</section>\n";
}

std::string tiles(const Scene& scene) {
  const Model& model = scene.model;
  const auto seconds = [&](Ticks ticks) { return model.definitions().resolution.seconds(static_cast<double>(ticks)); };
  std::string out;
  std::size_t count = 0;
  const auto tile = [&](std::string_view name, const std::string& value, bool bad = false) {
    ++count;
    out += "<div><dt>" + escaped(name) + "</dt><dd" + (bad ? " class=\"bad\"" : "") + '>' + value + "</dd></div>\n";
  };
  const auto change = [&](std::string_view name, const std::string& before, const std::string& after, bool bad) {
    if (!scene.two_sides) return tile(name, escaped(before), bad);
    ++count;
    out += "<div><dt>" + escaped(name) + "</dt><dd><span class=\"was" + (bad ? " bad" : "") + "\">" + escaped(before) +
           " \xE2\x86\x92</span> " + escaped(after) + "</dd></div>\n";
  };
  tile("Processes", grouped(model.definitions().processes().size()));
  tile("Events", grouped(model.counts().events));
  tile("Length",
       escaped(model.counts().events == 0 ? "0" : duration(seconds(model.shown().last() - model.shown().first()))));
  const auto& messages = model.counts().messages;
  tile("Messages", grouped(messages[recorded].edges));
  if (messages[recorded].edges != 0) {
    change("Received before sent", grouped(messages[recorded].backward), grouped(messages[corrected].backward),
           messages[recorded].backward != 0);
    change("Smallest delay", duration(seconds(messages[recorded].smallest_delay)),
           duration(seconds(messages[corrected].smallest_delay)), messages[recorded].smallest_delay < 0);
  }
  if (scene.two_sides) {
    tile("Largest correction", escaped(duration(seconds(model.corrections().largest()))));
    const Intervals& intervals = model.intervals();
    const std::uint64_t changed = intervals.changed + intervals.widened;
    const std::uint64_t all = intervals.exact + changed;
    const double share = static_cast<double>(intervals.exact) / static_cast<double>(all);
    constexpr double shown_as_all = 0.9995;
    tile("Intervals unchanged to the tick", all == 0                               ? "\xE2\x80\x93"
                                            : changed != 0 && share > shown_as_all ? "all but " + grouped(changed)
                                                                                   : percent(share));
  }
  // There are four, six or eight: rows of four, or of three.
  return "<dl class=\"tiles" + std::string(count == 6 ? " six" : "") + "\">\n" + out + "</dl>\n";
}

std::string judgement(const Scene& scene) {
  if (scene.verdict == nullptr || scene.model.counts().events == 0) return {};
  const Judged found = judged(scene);
  std::string out = "<div class=\"judged " + found.judgement + "\">\n<p>Verdict on " +
                    (scene.two_sides || scene.report != nullptr ? "the correction" : "the trace") + ": <strong>" +
                    found.judgement + "</strong>" +
                    (scene.model.shown().excerpt() ? ", on all of it, not only the excerpt" : "") + "</p>\n";
  if (!found.reasons.empty()) out += "<ul>\n";
  for (const std::string& reason : found.reasons) out += "<li>" + escaped(reason) + "</li>\n";
  if (!found.reasons.empty()) out += "</ul>\n";
  return out + "</div>\n";
}

bool has_operations(const Model& model) { return model.counts().operations + model.counts().crossing_operations != 0; }

std::string controls(const Scene& scene) {
  struct Button {
    std::string_view action;
    std::string_view text;
    std::string_view label;
  };
  constexpr std::array<Button, 5> buttons{{{"out", "\xE2\x88\x92", "Zoom out"},
                                           {"in", "+", "Zoom in"},
                                           {"left", "\xE2\x86\x90", "Earlier"},
                                           {"right", "\xE2\x86\x92", "Later"},
                                           {"all", "All", "Show the whole trace"}}};
  std::string out = "<div class=\"controls\">\n";
  for (const Button& button : buttons)
    out += "<button type=\"button\" data-action=\"" + std::string(button.action) + "\" aria-label=\"" +
           std::string(button.label) + "\">" + std::string(button.text) + "</button>\n";
  const auto is_early = [](const Arrow& arrow) { return arrow.operation >= 0 || arrow.delay(recorded) < 0; };
  if (std::ranges::any_of(scene.model.violations(), is_early)) {
    const std::string what = has_operations(scene.model) ? "too early" : "backward";
    const std::string label =
        has_operations(scene.model) ? "message or operation that is too early" : "backward message";
    for (const bool next : {false, true})
      out += "<button type=\"button\" class=\"warn\" data-action=\"" + std::string(next ? "next" : "previous") +
             "\" aria-label=\"" + (next ? "Next " : "Previous ") + label + "\">" + (next ? "Next " : "Previous ") +
             what + "</button>\n";
  }
  return out +
         "<input id=\"search\" type=\"search\" placeholder=\"process or region\" aria-label=\"Search for a process or "
         "region\">\n</div>\n<div class=\"controls\" id=\"hits\"></div>\n";
}

std::string legend(const Scene& scene) {
  const Model& model = scene.model;
  std::string out = "<ul class=\"legend\">\n";
  const auto item = [&](std::string_view drawing, std::string_view name) {
    out += "<li><svg class=\"figure\" viewBox=\"0 0 22 12\" aria-hidden=\"true\">" + std::string(drawing) + "</svg>" +
           escaped(name) + "</li>\n";
  };
  if (model.counts().messages[recorded].edges != 0) {
    item("<path class=\"message\" d=\"M1 6H18\"/><path class=\"head\" d=\"M19 6h0\"/>",
         "message, the dot where it is received");
    item("<path class=\"backward\" d=\"M3 6H21\"/><path class=\"backward-head\" d=\"M3 6h0\"/>",
         "received before it was sent");
    if (!model.all_arrows() || model.arrows().size() > 2500)
      item("<rect class=\"back3\" y=\"4\" width=\"22\" height=\"4\"/>", "too many to draw: messages sent here go back");
  }
  if (has_operations(model)) {
    item("<path class=\"joint\" d=\"M1 3H21M11 3V9M1 9H21\"/>",
         "collective operation: from begin to end in each process, joined at the last begin");
    item("<path class=\"joint-bad\" d=\"M1 3H21M11 3V9M1 9H21\"/>",
         "collective operation that ends before a begin it awaits");
  }
  const std::vector<Regions::Id> order = model.activities().regions_by_time();
  for (std::size_t i = 0; i < order.size() && i + 1 < region_colours; ++i)
    item("<rect class=\"r" + std::to_string(i) + "\" width=\"22\" height=\"12\"/>",
         shortened(model.regions().names()[order[i]], 40));
  if (order.size() >= region_colours)
    item("<rect class=\"r7\" width=\"22\" height=\"12\"/>",
         order.size() == region_colours ? shortened(model.regions().names()[order.back()], 40)
                                        : grouped(order.size() - region_colours + 1) + " other regions");
  return out + "</ul>\n";
}

std::string timelines(const Scene& scene) {
  const std::vector<std::string> panels = draw_timeline(scene);
  if (panels.empty()) return {};
  std::string out = "<section class=\"wide\" id=\"lines\">\n<h2>Time lines</h2>\n";
  out +=
      "<p class=\"lead\">Time runs to the right, each process has a line. A message is a line from its sender to its "
      "receiver; one that leans to the left, in orange, is received before it is sent.<span class=\"screen\"> Drag to "
      "move; + and \xE2\x88\x92, pinch, or Ctrl and wheel to zoom; N and P go to ";
  out += has_operations(scene.model) ? "messages and operations that are too early" : "backward messages";
  out += "; click a message for its figures.</span></p>\n";
  out += controls(scene);
  out += "<figure><div id=\"timelines\"" +
         std::string(scene.model.activities().grid(recorded).rows() > 24 ? " class=\"tall\"" : "") +
         " tabindex=\"0\" role=\"group\" aria-label=\"Time lines. Arrow keys move, plus and "
         "minus zoom, 0 shows all, N and P go to the next and previous backward message.\">\n";
  for (const std::string& panel : panels) out += panel;
  out +=
      "</div></figure>\n<p id=\"status\" role=\"status\" aria-live=\"polite\"></p>\n"
      "<p id=\"command\" hidden><code></code> <button type=\"button\" aria-label=\"Copy the "
      "command\">Copy</button></p>\n";
  return out + legend(scene) + numbers_of(figures.front(), scene) + "</section>\n";
}

std::string report(const Scene& scene, const PageFacts& facts) {
  std::string out =
      "<section>\n<h2>In figures</h2>\n<div id=\"counters\" class=\"table\"><table>\n<thead><tr><th "
      "scope=\"col\"></th>";
  out += scene.two_sides ? "<th scope=\"col\">as recorded</th><th scope=\"col\">corrected</th>"
                         : "<th scope=\"col\">as it is</th>";
  out += "</tr></thead>\n<tbody>\n";
  const auto cell = [](const std::string& text, bool bad) {
    return std::string("<td") + (bad ? " class=\"bad\"" : "") + '>' + escaped(text) + "</td>";
  };
  for (const Fact& fact : facts_of(scene)) {
    out += "<tr><th scope=\"row\">" + escaped(fact.name) + "</th>" + cell(fact.before, fact.bad_before);
    if (scene.two_sides) out += cell(fact.after, fact.bad_after);
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
  for (const Advice& advice : advice_of(scene, facts))
    out +=
        "<p class=\"advice" + std::string(advice.warning ? " warning" : "") + "\">" + escaped(advice.text) + "</p>\n";
  return out + "</section>\n";
}

std::string estimate(const Scene& scene) {
  const Numbers clocks = estimated_clocks(scene);
  if (clocks.rows.empty()) return {};
  std::string achieved = scene.report->alignment;
  if (!achieved.empty() && achieved.front() >= 'a' && achieved.front() <= 'z')
    achieved.front() = static_cast<char>(achieved.front() - 'a' + 'A');
  return "<section class=\"wide\" id=\"estimate\">\n<h2>Clocks as estimated before the correction</h2>\n"
         "<p class=\"lead\">How far each clock was ahead of the mean, with its standard deviation, if minimum delays "
         "are "
         "the same in both directions. " +
         escaped(achieved) + (achieved.empty() ? "" : ".") + "</p>\n" + table_of(clocks) + "</section>\n";
}

std::string origin(const Scene& scene, const PageFacts& facts) {
  std::string out = "<section id=\"origin\">\n<h2>Parameters and provenance</h2>\n";
  Numbers parameters{{}, {"parameter of the correction", "option", "value"}, {}, {}};
  for (const Parameter& parameter : parameters_of(scene, facts))
    parameters.rows.push_back({parameter.name, parameter.option, parameter.value});
  // On paper the options of the filter say the same.
  if (!parameters.rows.empty()) out += "<div class=\"screen\">\n" + table_of(parameters) + "</div>\n";
  std::string text = "trace       " + facts.trace + " (" + facts.format + ")\n";
  text += "resolution  " + grouped(static_cast<std::uint64_t>(scene.model.definitions().resolution.per_second())) +
          " ticks per second\n";
  if (scene.report != nullptr) {
    text += "filter      " + scene.report->program + ' ' + scene.report->options + '\n';
    text += "            " + grouped(scene.report->jumps) + " jumps of the forward clock, largest " +
            duration(scene.report->largest_jump_us * 1e-6) + "; at most " + grouped(scene.report->peak_events) +
            " events buffered\n";
  }
  for (const std::string& line : facts.provenance) text += "noted       " + shortened(line, 400) + '\n';
  // Line by line, because a name may hold anything.
  out += "<pre>";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    out += escaped(std::string_view(text).substr(at, end - at)) + '\n';
    at = end + 1;
  }
  return out + "</pre>\n</section>\n";
}

}  // namespace

std::string draw_page(const Scene& scene, const PageFacts& facts) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src '";
  out += page_parts::page_js_hash;
  out += "'; img-src data:\">\n<link rel=\"icon\" href=\"data:,\">\n<title>" + escaped(facts.title) +
         "</title>\n<style>\n" + page_parts::figure_css + page_parts::page_css + "</style>\n</head>\n<body>\n<main>\n";
  out += "<h1>" + escaped(facts.title) + "</h1>\n<p class=\"verdict\">" + escaped(headline(scene)) + "</p>\n";
  out += judgement(scene);
  if (const std::string excerpt = excerpt_of(scene); !excerpt.empty())
    out += "<p class=\"excerpt\">" + escaped(excerpt) + "</p>\n";
  if (const std::string note = far_apart(scene.model); !note.empty())
    out += "<p class=\"advice warning\">" + escaped(note) + "</p>\n";
  out += tiles(scene);
  out += timelines(scene);
  if (scene.model.counts().events != 0)
    out +=
        "<section class=\"wide screen\" id=\"tables\">\n<h2>Processes and violations</h2>\n<div "
        "id=\"processes\"></div>\n<div id=\"edges\"></div>\n</section>\n";
  for (const FigureInfo& figure : figures) {
    if (figure.name == "timeline") continue;
    const std::vector<std::string> panels = figure.draw(scene);
    if (panels.empty()) continue;
    std::vector<std::string> narrow;
    if (figure.name == "corrections" || figure.name == "gamma") {
      Scene small = scene;
      small.narrow = true;
      narrow = figure.draw(small);
    }
    out += section(title(figure, scene), caption(figure.name, scene), panels, narrow, numbers_of(figure, scene));
    if (figure.name != "clocks") continue;
    const std::vector<const Corridor*> pairs = scene.model.corridors();
    const auto with_course = static_cast<std::size_t>(
        std::count_if(pairs.begin(), pairs.end(), [](const Corridor* pair) { return !pair->course.empty(); }));
    if (with_course > panels.size())
      out += "<p class=\"note\">" + grouped(panels.size()) + " of " + grouped(with_course) +
             (scene.model.all_corridors() ? "" : " or more") +
             " pairs of processes with messages: those with the most backward messages, then with the most "
             "messages.</p>\n";
  }
  out += estimate(scene);
  out += report(scene, facts);
  out += origin(scene, facts);
  out += "<footer>clc-view " + std::string(tool::version()) + "</footer>\n</main>\n";
  out += "<script type=\"application/json\" id=\"data\">" + page_data(scene, facts.command) + "</script>\n<script>";
  return out + page_parts::page_js + "</script>\n</body>\n</html>\n";
}

}  // namespace clc::view
