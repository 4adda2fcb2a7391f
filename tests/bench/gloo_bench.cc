// ns per call of Gloo with one rank, where nothing but the call itself costs: run it with and
// without the recorder (gloo_bench.py). Prints "barrier NS allreduce NS": the median of rounds.
#include <gloo/allreduce.h>
#include <gloo/barrier.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/hash_store.h>
#include <gloo/transport/tcp/device.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

template <class Call>
double MedianNs(Call call) {
  constexpr int kRounds = 41, kCalls = 2000;
  std::vector<double> rounds;
  for (int round = 0; round < kRounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i)
      call();
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
    rounds.push_back(spent.count() / kCalls);
  }
  std::nth_element(rounds.begin(), rounds.begin() + kRounds / 2, rounds.end());
  return rounds[kRounds / 2];
}

}  // namespace

int main() {
  gloo::rendezvous::HashStore store;
  gloo::transport::tcp::attr attributes;
  attributes.iface = "lo";
  auto device = gloo::transport::tcp::CreateDevice(attributes);
  auto context = std::make_shared<gloo::rendezvous::Context>(0, 1);
  context->connectFullMesh(store, device);
  gloo::BarrierOptions barrier(context);
  std::vector<float> values(4, 1);
  gloo::AllreduceOptions allreduce(context);
  allreduce.setOutput(values.data(), values.size());
  allreduce.setReduceFunction(
      static_cast<void (*)(void*, const void*, const void*, std::size_t)>(&gloo::sum<float>));
  const double barrier_ns = MedianNs([&] { gloo::barrier(barrier); });
  const double allreduce_ns = MedianNs([&] { gloo::allreduce(allreduce); });
  std::printf("barrier %.1f allreduce %.1f\n", barrier_ns, allreduce_ns);
}
