// What a test asks of a play.
#pragma once

#include <stdexcept>
#include <string>

#include "analyzer/scenario/parse.h"
#include "analyzer/scenario/play.h"

namespace rollcall::tests {

struct Played {
  explicit Played(const std::string& text) {
    const auto parsed = analyzer::scenario::ParseScenario(text, "s.txt");
    if (!parsed.ok()) throw std::runtime_error(std::string(parsed.status().message()));
    scenario = *parsed;
    const auto made = analyzer::scenario::PlayScenario(scenario);
    if (!made.ok()) throw std::runtime_error(std::string(made.status().message()));
    play = *made;
  }
  const analyzer::scenario::PlayedProcess& process(int index) const {
    return play.processes.at(static_cast<std::size_t>(index));
  }
  // One letter per call: c completed, p pending, f failed, g captured, a aborted; and x, e, s, k
  // for an end by exit, exception, signal, kill behind them.
  std::string States(int index) const {
    std::string states;
    for (const auto& call : process(index).calls) {
      using analyzer::CallState;
      states.push_back(call.state == CallState::kCompleted ? 'c'
                       : call.state == CallState::kPending ? 'p'
                       : call.state == CallState::kFailed  ? 'f'
                       : call.captured                     ? 'g'
                                                           : 'a');
    }
    switch (process(index).end.kind) {
      case analyzer::EndKind::kExit:
        return states + "x";
      case analyzer::EndKind::kException:
        return states + "e";
      case analyzer::EndKind::kSignal:
        return states + "s";
      case analyzer::EndKind::kKilled:
        return states + "k";
      default:
        return states;
    }
  }
  std::string All() const {
    std::string all;
    for (std::size_t i = 0; i < play.processes.size(); ++i)
      all += (i == 0 ? "" : " ") + States(static_cast<int>(i));
    return all;
  }

  analyzer::scenario::Scenario scenario;
  analyzer::scenario::Play play;
};

inline std::string Outcome(const std::string& text) {
  return Played(text).All();
}

}  // namespace rollcall::tests
