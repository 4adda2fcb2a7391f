// A job that uses Gloo without PyTorch: rank RANK of WORLD_SIZE all-reduces until it is killed, or
// until a peer is gone. Before every call it counts in memory that it shares with the test: a
// witness of what the trace must hold.
//   raw_gloo FOLDER COUNTERS      FOLDER: where the ranks meet; COUNTERS: file of one uint64 per
//   rank
#include <fcntl.h>
#include <gloo/allreduce.h>
#include <gloo/barrier.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

namespace {

volatile std::uint64_t* MapCounters(const char* path, int size) {
  const int file = open(path, O_RDWR);
  void* memory =
      mmap(nullptr, size * sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file < 0 || memory == MAP_FAILED) {
    std::perror(path);
    std::exit(2);
  }
  close(file);
  return static_cast<volatile std::uint64_t*>(memory);
}

// Gloo takes the store by reference until 2025, then as a shared pointer.
template <typename Context, typename Store, typename Device>
void Connect(Context& context, const std::shared_ptr<Store>& store, Device& device) {
  if constexpr (requires { context.connectFullMesh(*store, device); }) {
    context.connectFullMesh(*store, device);
  } else {
    context.connectFullMesh(store, device);
  }
}

}  // namespace

int main(int, char** arguments) {
  const int rank = std::atoi(std::getenv("RANK"));
  const int size = std::atoi(std::getenv("WORLD_SIZE"));
  volatile std::uint64_t* counter = MapCounters(arguments[2], size) + rank;

  std::signal(SIGPIPE, SIG_IGN);  // as Python does: Gloo writes to peers that are gone
  gloo::transport::tcp::attr attributes;
  attributes.iface = "lo";
  std::shared_ptr<gloo::transport::Device> device = gloo::transport::tcp::CreateDevice(attributes);
  const auto store = std::make_shared<gloo::rendezvous::FileStore>(arguments[1]);
  auto context = std::make_shared<gloo::rendezvous::Context>(rank, size);
  Connect(*context, store, device);

  float values[16] = {};
  try {
    while (true) {
      gloo::AllreduceOptions options(context);
      options.setOutput(values, 16);
      options.setReduceFunction(
          [](void* out, const void* left, const void* right, std::size_t count) {
            for (std::size_t i = 0; i < count; ++i) {
              static_cast<float*>(out)[i] =
                  static_cast<const float*>(left)[i] + static_cast<const float*>(right)[i];
            }
          });
      options.setTimeout(std::chrono::seconds(5));  // a survivor may wait for another survivor
      options.setTag(static_cast<std::uint32_t>(*counter));
      *counter = *counter + 1;
      gloo::allreduce(options);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
    return 1;
  }
}
