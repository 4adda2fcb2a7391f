// Places in the user's code, the same on all ranks.
#include "analyzer/align/site.h"

#include "tests/catch.h"

namespace rollcall::tests {
namespace {

using analyzer::Frame;
using analyzer::Job;
using analyzer::Process;
using analyzer::Shape;
using analyzer::SiteTable;
using analyzer::Stack;

// A process whose program lies in the folder and makes one call.
Process ProgramIn(const std::string& folder) {
  Process process;
  process.python_stacks.push_back(
      Stack{{Frame{folder + "/loop.py", 8, "run"}, Frame{folder + "/__main__.py", 5, "<module>"},
             Frame{"<frozen runpy>", 88, "_run_code"}},
            false});
  Shape shape;
  shape.operation = OPERATION_BARRIER;
  shape.python_stack = 0;
  process.shapes.push_back(shape);
  return process;
}

TEST_CASE("a module that is run by its name is one place, wherever it lies", "[site]") {
  Job job;
  job.processes = {ProgramIn("/home/me/src/company/training"), ProgramIn("/mnt/company/training")};
  const SiteTable sites(job, "");
  CHECK(sites.OfShape(0, 0) == sites.OfShape(1, 0));
  CHECK(sites.at(sites.OfShape(0, 0)).where().file == "loop.py");
}

}  // namespace
}  // namespace rollcall::tests
