// Work that a process queued on its device: in order on each stream, and in order on each
// communicator over all streams.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace rollcall::analyzer::scenario {

struct Work {
  int process = 0;
  int communicator = 0;
  int stream = 0;  // kNoStream: bound to its communicator alone
  std::vector<int> items;
  std::size_t open = 0;       // items that have not ended
  std::int64_t ready_ns = 0;  // not before
  bool started = false;
};

constexpr int kNoStream = -1;

class Queues {
 public:
  // Returns its number.
  int Add(Work work) {
    const int index = static_cast<int>(works_.size());
    work.open = work.items.size();
    for (const int item : work.items)
      of_item_[item] = index;
    if (work.stream != kNoStream) streams_[{work.process, work.stream}].push_back(index);
    communicators_[{work.process, work.communicator}].push_back(index);
    works_.push_back(std::move(work));
    return index;
  }
  Work& at(int work) { return works_[static_cast<std::size_t>(work)]; }
  // -1 = it is queued nowhere.
  int OfItem(int item) const {
    const auto found = of_item_.find(item);
    return found == of_item_.end() ? -1 : found->second;
  }
  // Nothing is ahead of it.
  bool IsFirst(int index) {
    const Work& work = at(index);
    if (work.stream != kNoStream && streams_[{work.process, work.stream}].front() != index)
      return false;
    return communicators_[{work.process, work.communicator}].front() == index;
  }
  // It is done; those that may be first now.
  std::vector<int> Remove(int index, std::int64_t ns) {
    const Work work = at(index);
    std::vector<int> next;
    const auto remove_from = [&](std::deque<int>& queue) {
      if (queue.front() == index) {
        queue.pop_front();
      } else {
        std::erase(queue, index);
      }
      if (queue.empty()) return;
      at(queue.front()).ready_ns = std::max(at(queue.front()).ready_ns, ns);
      next.push_back(queue.front());
    };
    if (work.stream != kNoStream) remove_from(streams_[{work.process, work.stream}]);
    remove_from(communicators_[{work.process, work.communicator}]);
    return next;
  }
  // Items of the process that wait or run, on one communicator or (-1) on all, of one stream or (0)
  // of all.
  std::vector<int> OpenItems(int process, int communicator, int stream = 0) const {
    std::vector<int> items;
    for (auto of = communicators_.lower_bound({process, 0});
         of != communicators_.end() && of->first.first == process; ++of) {
      if (communicator >= 0 && of->first.second != communicator) continue;
      for (const int work : of->second) {
        if (stream > 0 && works_[static_cast<std::size_t>(work)].stream != stream) continue;
        const std::vector<int>& its = works_[static_cast<std::size_t>(work)].items;
        items.insert(items.end(), its.begin(), its.end());
      }
    }
    return items;
  }

 private:
  std::deque<Work> works_;
  std::map<int, int> of_item_;
  std::map<std::pair<int, int>, std::deque<int>> streams_, communicators_;  // by process
};

}  // namespace rollcall::analyzer::scenario
