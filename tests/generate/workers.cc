#include "tests/generate/workers.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

#include "tests/generate/generated_job.h"
#include "tests/generate/judge.h"

namespace rollcall::tests::generate {
namespace {

constexpr unsigned kMostSeconds = 120;  // for a job; SIGALRM ends the worker

struct Worker {
  int first = 0;  // its next job; then every so many
  std::string results;
};

std::string OneLine(std::string text) {
  for (char& c : text)
    c = c == '\n' ? ' ' : c;
  return text;
}

[[noreturn]] void Work(const Run& run, const Worker& worker) {
  {
    std::ofstream results(worker.results, std::ios::app);
    const TraceFolder folder;
    for (int number = worker.first; number < run.correct + run.faulty; number += run.workers) {
      results << number << std::endl;
      alarm(kMostSeconds);
      Score score;
      try {
        const GeneratedJob job = MakeJob(run.seed, number, run.correct);
        score = Judge(job.script, job.expectation, folder);
      } catch (const std::exception& error) {
        score.what = error.what();
      }
      results << score.kind << " " << score.ranks << " " << score.line << " " << OneLine(score.what)
              << std::endl;
    }
  }
  // Results are written; what the parent left to be flushed is its own.
  _exit(0);
}

pid_t Start(const Run& run, const Worker& worker) {
  std::cout.flush();
  const pid_t pid = fork();
  if (pid == 0) Work(run, worker);
  return pid;
}

// The job that was begun last, and whether its result is there.
std::pair<int, bool> Last(const std::string& results) {
  std::ifstream file(results);
  std::string begun, result, number = "-1";
  bool done = true;
  while (std::getline(file, begun)) {
    number = begun;
    done = static_cast<bool>(std::getline(file, result));
  }
  return {std::stoi(number), done};
}

void Take(const std::string& results, std::vector<Score>* scores) {
  std::ifstream file(results);
  std::string number, result;
  while (std::getline(file, number) && std::getline(file, result)) {
    std::istringstream fields(result);
    Score score;
    fields >> score.kind >> score.ranks >> score.line >> std::ws;
    std::getline(fields, score.what);
    (*scores)[static_cast<std::size_t>(std::stoi(number))] = score;
  }
}

}  // namespace

std::vector<Score> RunAll(const Run& run) {
  const TraceFolder folder;
  std::map<pid_t, Worker> running;
  std::vector<std::string> files;
  const auto start = [&](Worker worker) {
    const pid_t pid = Start(run, worker);
    if (pid > 0) running[pid] = std::move(worker);
  };
  for (int i = 0; i < run.workers; ++i) {
    files.push_back(folder.path() + "/results" + std::to_string(i));
    start({i, files.back()});
  }
  while (!running.empty()) {
    int status = 0;
    const pid_t pid = wait(&status);
    const auto found = running.find(pid);
    if (pid < 0) break;
    if (found == running.end()) continue;
    Worker worker = found->second;
    running.erase(found);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    const auto [number, done] = Last(worker.results);
    if (!done) {
      std::ofstream(worker.results, std::ios::app)
          << "0 0 0 crashed: "
          << (WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit in the middle") << "\n";
    }
    worker.first = number < 0 ? worker.first : number + run.workers;
    if (number >= 0) start(worker);
  }
  std::vector<Score> scores(static_cast<std::size_t>(run.correct + run.faulty));
  for (Score& score : scores)
    score.what = "was not run";
  for (const std::string& file : files)
    Take(file, &scores);
  return scores;
}

}  // namespace rollcall::tests::generate
