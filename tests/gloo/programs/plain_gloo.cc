// Gloo without c10d: every collective and point-to-point, over a FileStore. Says what it is about
// to call (see expected.py) and prints results. Arguments: a folder for the store.
#include <gloo/allgather.h>
#include <gloo/allgatherv.h>
#include <gloo/allreduce.h>
#include <gloo/alltoall.h>
#include <gloo/alltoallv.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/gather.h>
#include <gloo/math.h>
#include <gloo/reduce.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/rendezvous/prefix_store.h>
#include <gloo/scatter.h>
#include <gloo/transport/tcp/device.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr int kLibraryLevel = 16;
int rank, size;

void Expect(const std::string& operation, const std::string& values) {
  std::printf("call operation=%s flags=%d path=plain| size=%d rank=%d state=completed %s\n",
              operation.c_str(), kLibraryLevel, size, rank, values.c_str());
}

void Print(const char* what, const std::vector<float>& values) {
  std::printf("result %s", what);
  for (const float value : values)
    std::printf(" %g", value);
  std::printf("\n");
}

// Neither a name nor an operation that the recorder knows.
void Twice(void* result, const void* a, const void* b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    static_cast<float*>(result)[i] =
        2 * (static_cast<const float*>(a)[i] + static_cast<const float*>(b)[i]);
}

void Collectives(const std::shared_ptr<gloo::Context>& context) {
  const auto count = static_cast<std::size_t>(size);
  std::vector<float> in(4, static_cast<float>(rank + 1)), out(4), all(4 * count);
  {
    gloo::AllreduceOptions options(context);
    options.setInput(in.data(), in.size());
    options.setOutput(out.data(), out.size());
    options.setReduceFunction(
        static_cast<void (*)(void*, const void*, const void*, std::size_t)>(&gloo::sum<float>));
    Expect("allreduce", "count=4 bytes=4 redop=sum datatype=f32");
    gloo::allreduce(options);
    Print("allreduce", out);
    options.setReduceFunction(&Twice);
    Expect("allreduce", "count=4 bytes=4 redop=custom");
    gloo::allreduce(options);
    options.setReduceFunction(
        [](void* result, const void* a, const void* b, std::size_t n) { Twice(result, a, b, n); });
    Expect("allreduce", "count=4 bytes=4 redop=custom");
    gloo::allreduce(options);
  }
  {
    gloo::ReduceOptions options(context);
    std::vector<std::int64_t> numbers(3, rank + 1);
    options.setInput(numbers.data(), numbers.size());
    options.setOutput(numbers.data(), numbers.size());
    options.setRoot(1);
    options.setReduceFunction(static_cast<void (*)(void*, const void*, const void*, std::size_t)>(
        &gloo::max<std::int64_t>));
    Expect("reduce", "count=3 bytes=8 redop=max datatype=i64 root=1");
    gloo::reduce(options);
  }
  {
    gloo::BroadcastOptions options(context);
    options.setOutput(out.data(), out.size());
    options.setRoot(1);
    options.setTimeout(std::chrono::milliseconds(7000));
    Expect("broadcast", "count=4 bytes=4 root=1 timeout=7000");
    gloo::broadcast(options);
    Print("broadcast", out);
  }
  {
    gloo::AllgatherOptions options(context);
    options.setInput(in.data(), in.size());
    options.setOutput(all.data(), all.size());
    Expect("allgather", "count=4 bytes=4");
    gloo::allgather(options);
    Print("allgather", all);
  }
  {
    gloo::AllgathervOptions options(context);
    options.setInput(in.data(), static_cast<std::size_t>(rank + 1));
    std::vector<std::size_t> counts;
    std::string splits;
    for (int i = 0; i < size; ++i) {
      counts.push_back(static_cast<std::size_t>(i + 1));
      splits += (i == 0 ? "" : ",") + std::to_string(i + 1);
    }
    options.setOutput(all.data(), counts);
    Expect("allgather", "library=gloo::allgatherv bytes=4 output=" + splits);
    gloo::allgatherv(options);
  }
  {
    gloo::AlltoallOptions options(context);
    std::vector<float> send(2 * count, 1), receive(2 * count);
    options.setInput(send.data(), send.size());
    options.setOutput(receive.data(), receive.size());
    Expect("alltoall", "count=" + std::to_string(2 * size) + " bytes=4");
    gloo::alltoall(options);
  }
  {
    gloo::AlltoallvOptions options(context);
    std::vector<float> send(2 * count, 1), receive(2 * count);
    std::vector<std::int64_t> counts(count, 2);
    options.setInput(send.data(), counts);
    options.setOutput(receive.data(), counts);
    std::string splits = "2";
    for (int i = 1; i < size; ++i)
      splits += ",2";
    Expect("alltoall", "library=gloo::alltoallv bytes=4 input=" + splits + " output=" + splits);
    gloo::alltoallv(options);
  }
  {
    gloo::GatherOptions options(context);
    options.setInput(in.data(), in.size());
    if (rank == 0) options.setOutput(all.data(), all.size());
    options.setRoot(0);
    Expect("gather", "count=4 bytes=4 root=0");
    gloo::gather(options);
  }
  {
    gloo::ScatterOptions options(context);
    std::vector<float*> parts;
    for (std::size_t i = 0; i < count; ++i)
      parts.push_back(all.data() + 4 * i);
    if (rank == 0) options.setInputs(parts, 4);
    options.setOutput(out.data(), out.size());
    options.setRoot(0);
    Expect("scatter", "count=4 bytes=4 root=0");
    gloo::scatter(options);
    Print("scatter", out);
  }
  gloo::BarrierOptions options(context);
  Expect("barrier", "count=0");
  gloo::barrier(options);
}

void PointToPoint(const std::shared_ptr<gloo::Context>& context) {
  std::vector<float> values(6, static_cast<float>(rank));
  auto buffer = context->createUnboundBuffer(values.data(), values.size() * sizeof(float));
  if (rank == 0) {
    Expect("send", "count=24 bytes=1 peer=1 tag=77");
    buffer->send(1, 77);
    buffer->waitSend();
  } else if (rank == 1) {
    Expect("recv", "count=24 bytes=1 peer=0 tag=77");
    buffer->recv(0, 77);
    buffer->waitRecv();
    Print("recv", values);
  }
}

// Nobody sends: the exception has to come through. The others stay until then.
void Timeout(const std::shared_ptr<gloo::Context>& context, gloo::rendezvous::Store& store) {
  if (rank != 0) {
    store.wait({"timed out"});
    return;
  }
  float value = 0;
  auto buffer = context->createUnboundBuffer(&value, sizeof value);
  std::printf("call operation=recv peer=1 tag=78 state=failed\n");
  buffer->recv(1, 78);
  try {
    buffer->waitRecv(std::chrono::milliseconds(200));
    std::printf("result no exception\n");
  } catch (const gloo::IoException& error) {
    const bool expected = std::string(error.what()).find("Timed out") != std::string::npos;
    std::printf("result %s\n", expected ? "timeout" : error.what());
  }
  store.set("timed out", {'1'});
}

}  // namespace

int main(int, char** arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 16);
  rank = std::atoi(std::getenv("RANK"));
  size = std::atoi(std::getenv("WORLD_SIZE"));
  gloo::rendezvous::FileStore files(arguments[1]);
  gloo::rendezvous::PrefixStore store("plain", files);
  gloo::transport::tcp::attr attributes;
  attributes.iface = "lo";
  auto device = gloo::transport::tcp::CreateDevice(attributes);
  auto context = std::make_shared<gloo::rendezvous::Context>(rank, size);
  Expect("init", "count=" + std::to_string(size));
  context->connectFullMesh(store, device);
  Collectives(context);
  PointToPoint(context);
  Timeout(context, store);
  return 0;
}
