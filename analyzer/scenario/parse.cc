#include "analyzer/scenario/parse.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "analyzer/scenario/parse_action.h"
#include "analyzer/scenario/words.h"

namespace rollcall::analyzer::scenario {
namespace {

constexpr int kMostRanks = 65536;
constexpr std::size_t kMostActions = 50'000'000;
constexpr int kDeepest = 64;  // braces in braces

// What stands between two braces, before repeats are written out.
struct Node {
  int statement = -1;  // index; -1 = children
  std::vector<int> actors;
  int repeat = 1;
  std::vector<Node> children;
};

class Parser {
 public:
  Parser(std::vector<Token> tokens, const std::string& name) : tokens_(std::move(tokens), name) {
    scenario_.name = name;
  }

  absl::StatusOr<Scenario> Parse() {
    Node all;
    absl::Status status = ParseBlock({}, 0, all.children);
    if (status.ok() && !tokens_.At(TokenKind::kEnd))
      status = tokens_.Expected("a statement", tokens_.Peek());
    if (status.ok() && scenario_.world == 0)
      status = tokens_.Expected("'world NUMBER' first", tokens_.Peek());
    if (!status.ok()) return status;
    scenario_.scripts.resize(static_cast<std::size_t>(Actors()));
    WriteBarriersAsPyTorchMakesThem();
    if (!WriteOut(all))
      return absl::InvalidArgumentError(
          absl::StrCat(scenario_.name, ": expected at most ", kMostActions, " actions in all"));
    return std::move(scenario_);
  }

 private:
  int Actors() const { return scenario_.world + static_cast<int>(scenario_.further.size()); }

  // Lines until the closing brace or the end. given: ranks of the statement around it, if any.
  absl::Status ParseBlock(const std::vector<int>& given, int depth, std::vector<Node>& nodes) {
    if (depth > kDeepest)
      return tokens_.Error(tokens_.Peek().place, "expected fewer braces inside of one another");
    std::vector<int> actors = given;
    while (true) {
      while (tokens_.At(TokenKind::kNewline) || tokens_.At(TokenKind::kSemicolon)) {
        if (tokens_.Take().kind == TokenKind::kNewline) actors = given;
      }
      if (tokens_.At(TokenKind::kEnd) || tokens_.At(TokenKind::kClose)) return absl::OkStatus();
      if (const absl::Status status = ParseStatement(depth, actors, nodes); !status.ok())
        return status;
      if (!tokens_.AtEndOfAction())
        return tokens_.Expected("';' or the end of the line", tokens_.Peek());
    }
  }

  absl::Status ParseStatement(int depth, std::vector<int>& actors, std::vector<Node>& nodes) {
    if (tokens_.At(TokenKind::kRanks)) {
      const Token token = tokens_.Take();
      const absl::Status status = ParseRanks(token, actors);
      if (!status.ok()) return status;
      if (tokens_.AtEndOfAction())
        return tokens_.Expected("an operation, or what a process does", tokens_.Peek());
    }
    if (tokens_.Peek().text == "repeat" && tokens_.At(TokenKind::kWord)) {
      tokens_.Take();
      const absl::StatusOr<int> number = tokens_.TakeNumber("a number behind repeat", 0);
      if (!number.ok()) return number.status();
      Node& node = nodes.emplace_back();
      node.repeat = *number;
      return ParseBraces(actors, depth, node.children);
    }
    if (actors.empty()) {
      if (depth == 0 && tokens_.At(TokenKind::kWord)) return ParseFact();
      return tokens_.Expected("ranks and a colon, such as 0-3:", tokens_.Peek());
    }
    absl::StatusOr<Statement> statement = ParseAction(tokens_);
    if (!statement.ok()) return statement.status();
    if (statement->operation == OPERATION_INIT && statement->size == 0)
      statement->size = scenario_.world;
    const bool braces = statement->verb == Verb::kGroup || statement->verb == Verb::kCapture;
    Statement close = *statement;
    Node& node = nodes.emplace_back();
    node.repeat = statement->repeat;
    AddStatement(*std::move(statement), actors, node.children);
    if (!braces) return absl::OkStatus();
    if (const absl::Status status = ParseBraces(actors, depth, node.children); !status.ok())
      return status;
    close.verb = close.verb == Verb::kGroup ? Verb::kGroupClose : Verb::kCaptureClose;
    AddStatement(std::move(close), actors, node.children);
    return absl::OkStatus();
  }

  void AddStatement(Statement statement, const std::vector<int>& actors, std::vector<Node>& nodes) {
    Node& node = nodes.emplace_back();
    node.statement = static_cast<int>(scenario_.statements.size());
    node.actors = actors;
    scenario_.statements.push_back(std::move(statement));
  }

  absl::Status ParseBraces(const std::vector<int>& actors, int depth, std::vector<Node>& nodes) {
    if (!tokens_.At(TokenKind::kOpen)) return tokens_.Expected("'{'", tokens_.Peek());
    const Token open = tokens_.Take();
    if (const absl::Status status = ParseBlock(actors, depth + 1, nodes); !status.ok())
      return status;
    if (!tokens_.At(TokenKind::kClose))
      return tokens_.Expected(absl::StrCat("'}' for the '{' of line ", open.place.line),
                              tokens_.Peek());
    tokens_.Take();
    return absl::OkStatus();
  }

  // Also where no colon follows, in facts.
  absl::Status ParseRanks(const Token& token, std::vector<int>& actors) {
    if (scenario_.world == 0) return tokens_.Expected("'world NUMBER' first", token);
    actors.clear();
    Token part = token;
    for (const absl::string_view text : absl::StrSplit(token.text, ',')) {
      part.text = std::string(text);
      if (const absl::Status status = AddRanks(part, actors); !status.ok()) return status;
      part.place.column += static_cast<int>(text.size()) + 1;
    }
    return absl::OkStatus();
  }

  absl::Status AddRanks(const Token& part, std::vector<int>& actors) {
    if (part.text == "*") {
      for (int rank = 0; rank < scenario_.world; ++rank)
        actors.push_back(rank);
      return absl::OkStatus();
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < scenario_.further.size(); ++i) {
      names.push_back(scenario_.further[i].name);
      if (part.text != names.back()) continue;
      actors.push_back(scenario_.world + static_cast<int>(i));
      return absl::OkStatus();
    }
    const std::size_t dash = part.text.find('-');
    int first = 0, last = 0;
    const bool numbers =
        absl::SimpleAtoi(part.text.substr(0, dash), &first) &&
        (dash == std::string::npos || absl::SimpleAtoi(part.text.substr(dash + 1), &last));
    if (!numbers || first < 0) {
      Token word = part;
      word.kind = TokenKind::kWord;
      return tokens_.Expected("a rank, a range such as 0-3, *, or the name of a process", word,
                              names);
    }
    if (dash == std::string::npos) last = first;
    if (last < first)
      return tokens_.Error(part.place,
                           absl::StrCat("expected a range that rises, found '", part.text, "'"));
    if (last >= scenario_.world)
      return tokens_.Error(part.place, absl::StrCat("expected a rank below ", scenario_.world,
                                                    ", found '", part.text, "'"));
    for (int rank = first; rank <= last; ++rank)
      actors.push_back(rank);
    return absl::OkStatus();
  }

  absl::Status ParseFact() {
    const Token fact = tokens_.Take();
    if (fact.text == "world") return ParseWorld(fact);
    if (fact.text == "backend") return ParseBackend(scenario_.backend);
    if (fact.text == "comm") return ParseCommunicator(fact);
    if (fact.text == "host") return ParseHost();
    if (fact.text == "env") return ParseVariable();
    if (fact.text == "process") return ParseProcess();
    if (FindVerb(fact.text) != nullptr)
      return tokens_.Expected("ranks and a colon, such as 0-3:", fact);
    return tokens_.Expected(
        "world, backend, comm, host, env, process, repeat, or ranks and a colon", fact,
        {"world", "backend", "comm", "host", "env", "process", "repeat"});
  }

  absl::Status ParseWorld(const Token& fact) {
    if (scenario_.world != 0) return tokens_.Error(fact.place, "expected one 'world' only");
    const absl::StatusOr<int> size = tokens_.TakeNumber("a number of ranks behind world", 1);
    if (!size.ok()) return size.status();
    if (*size > kMostRanks)
      return tokens_.Error(fact.place, absl::StrCat("expected at most ", kMostRanks, " ranks"));
    scenario_.world = *size;
    scenario_.hosts.assign(static_cast<std::size_t>(*size), "node");
    return absl::OkStatus();
  }

  absl::Status ParseBackend(Library& library) {
    const Token word = tokens_.Take();
    if (word.text == "gloo") {
      library = LIBRARY_GLOO;
    } else if (word.text == "nccl") {
      library = LIBRARY_NCCL;
    } else {
      return tokens_.Expected("gloo or nccl", word, {"gloo", "nccl"});
    }
    return absl::OkStatus();
  }

  absl::Status TakeRanks(const std::string& what, std::vector<int>& actors) {
    const absl::StatusOr<Token> word = tokens_.TakeWord(what);
    return word.ok() ? ParseRanks(*word, actors) : word.status();
  }

  absl::Status ParseCommunicator(const Token& fact) {
    CommunicatorFact made;
    made.place = fact.place;
    const absl::StatusOr<Token> name = tokens_.TakeWord("a name behind comm");
    if (!name.ok()) return name.status();
    made.name = name->text;
    if (const absl::Status status = TakeRanks("the ranks of its members", made.ranks); !status.ok())
      return status;
    if (tokens_.At(TokenKind::kWord)) {
      Token word = tokens_.Take();
      if (word.text.rfind("backend=", 0) != 0)
        return tokens_.Expected("backend=gloo or backend=nccl", word,
                                {"backend=gloo", "backend=nccl"});
      if (word.text == "backend=gloo") made.library = LIBRARY_GLOO;
      if (word.text == "backend=nccl") made.library = LIBRARY_NCCL;
      if (made.library == LIBRARY_UNKNOWN)
        return tokens_.Expected("backend=gloo or backend=nccl", word,
                                {"backend=gloo", "backend=nccl"});
    }
    scenario_.communicators.push_back(std::move(made));
    return absl::OkStatus();
  }

  absl::Status ParseHost() {
    std::vector<int> actors;
    if (const absl::Status status = TakeRanks("ranks behind host", actors); !status.ok())
      return status;
    const absl::StatusOr<Token> name = tokens_.TakeWord("the name of the host");
    if (!name.ok()) return name.status();
    for (const int actor : actors)
      scenario_.hosts[static_cast<std::size_t>(actor)] = name->text;
    return absl::OkStatus();
  }

  absl::Status ParseVariable() {
    std::vector<int> actors;
    if (const absl::Status status = TakeRanks("ranks behind env", actors); !status.ok())
      return status;
    const absl::StatusOr<Token> word = tokens_.TakeWord("NAME=VALUE");
    if (!word.ok()) return word.status();
    const std::size_t equals = word->text.find('=');
    if (equals == std::string::npos || equals == 0) return tokens_.Expected("NAME=VALUE", *word);
    for (const int actor : actors)
      scenario_.environment.push_back(
          {actor, word->text.substr(0, equals), word->text.substr(equals + 1)});
    return absl::OkStatus();
  }

  absl::Status ParseProcess() {
    if (scenario_.world == 0) return tokens_.Expected("'world NUMBER' first", tokens_.Peek());
    const absl::StatusOr<Token> name = tokens_.TakeWord("a name behind process");
    if (!name.ok()) return name.status();
    const Token word = tokens_.Take();
    if (word.kind != TokenKind::kWord || word.text.rfind("rank=", 0) != 0)
      return tokens_.Expected("rank=NUMBER", word, {"rank="});
    const absl::StatusOr<int> rank = tokens_.Number(word, 5, "rank=NUMBER", 0);
    if (!rank.ok()) return rank.status();
    scenario_.further.push_back({name->text, *rank});
    scenario_.hosts.emplace_back("node");
    return absl::OkStatus();
  }

  // Over NCCL a barrier is an allreduce of one element, and meets any other.
  void WriteBarriersAsPyTorchMakesThem() {
    for (Statement& statement : scenario_.statements) {
      if (statement.operation != OPERATION_BARRIER) continue;
      Library library = scenario_.backend;
      for (const CommunicatorFact& fact : scenario_.communicators) {
        if (fact.name == statement.communicator && fact.library != LIBRARY_UNKNOWN)
          library = fact.library;
      }
      if (library != LIBRARY_NCCL) continue;
      statement.operation = OPERATION_ALLREDUCE;
      statement.count = 1;
      statement.datatype = DATATYPE_F32;
      statement.redop = REDUCE_OPERATION_SUM;
    }
  }

  // false = too much.
  bool WriteOut(const Node& node) {
    for (int round = 0; round < node.repeat; ++round) {
      for (const Node& child : node.children) {
        if (!WriteOut(child)) return false;
      }
      if (node.statement < 0) continue;
      for (const int actor : node.actors)
        scenario_.scripts[static_cast<std::size_t>(actor)].push_back(node.statement);
      written_ += node.actors.size();
      if (written_ > kMostActions) return false;
    }
    return true;
  }

  TokenReader tokens_;
  Scenario scenario_;
  std::size_t written_ = 0;
};

}  // namespace

absl::StatusOr<Scenario> ParseScenario(absl::string_view text, const std::string& name) {
  absl::StatusOr<std::vector<Token>> tokens = Tokens(text, name);
  if (!tokens.ok()) return tokens.status();
  return Parser(*std::move(tokens), name).Parse();
}

}  // namespace rollcall::analyzer::scenario
