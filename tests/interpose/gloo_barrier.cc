// A real Gloo context of one rank: one barrier, then what the argument says. The simplest program
// that records under librollcall.so.
//   gloo_barrier STORE_FOLDER [return|exit|quick|abort|fault|sleep]
#include <gloo/barrier.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

void Barrier(const char* folder) {
  gloo::transport::tcp::attr attributes;
  attributes.iface = "lo";
  auto device = gloo::transport::tcp::CreateDevice(attributes);
  gloo::rendezvous::FileStore store(folder);
  auto context = std::make_shared<gloo::rendezvous::Context>(0, 1);
  context->connectFullMesh(store, device);
  gloo::BarrierOptions options(context);
  gloo::barrier(options);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return 64;
  Barrier(arguments[1]);
  std::puts("barrier done");
  std::fflush(stdout);
  const std::string end = count > 2 ? arguments[2] : "return";
  if (end == "exit") std::exit(3);
  if (end == "quick") _exit(5);
  if (end == "abort") std::abort();
  if (end == "fault") std::raise(SIGSEGV);
  while (end == "sleep")
    pause();
  return 0;
}
