#include "sweep/status_line.hpp"

#include <utility>

namespace fairfront::sweep {

StatusLine::StatusLine(ProgressStyle style, Progress::Sink sink, std::size_t columns,
                       Progress::Clock clock)
    : style_{style},
      sink_{std::move(sink)},
      columns_{columns},
      clock_{std::move(clock)},
      last_{clock_().count()} {}

StatusLine::~StatusLine() {
  if (stands_) sink_("\n");
}

void StatusLine::show(const std::function<std::string()>& text) {
  if (style_ == ProgressStyle::silent) return;
  const bool on_terminal = style_ == ProgressStyle::terminal;
  const double now = clock_().count();
  if (now - last_ < (on_terminal ? terminal_interval : log_report_interval)) return;
  last_ = now;
  stands_ = on_terminal;
  sink_(on_terminal ? over_the_last(text(), columns_) : text() + "\n");
}

}  // namespace fairfront::sweep
