#include "analyzer/scenario/parse_action.h"

#include <algorithm>
#include <csignal>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "analyzer/scenario/words.h"

namespace rollcall::analyzer::scenario {
namespace {

struct ForcedWord {
  const char* word;
  Forced forced;
};
constexpr ForcedWord kForced[] = {{"!entered", Forced::kEntered},
                                  {"!queued", Forced::kQueued},
                                  {"!completed", Forced::kCompleted},
                                  {"!failed", Forced::kFailed},
                                  {"!aborted", Forced::kAborted}};

constexpr int kMostRepeats = 10'000'000;

class ActionParser {
 public:
  ActionParser(TokenReader& tokens, const VerbWord& verb, Statement& statement)
      : tokens_(tokens), verb_(verb), statement_(statement) {}

  absl::Status Parse() {
    if ((verb_.wants & kWantsName) != 0) {
      absl::StatusOr<Token> name = tokens_.TakeWord(absl::StrCat("a name behind ", verb_.word));
      if (!name.ok()) return name.status();
      statement_.name = name->text;
      if (verb_.operation == OPERATION_INIT) statement_.communicator = name->text;
    }
    while (!tokens_.AtEndOfAction() && !tokens_.At(TokenKind::kOpen)) {
      if (const absl::Status status = ParseWord(); !status.ok()) return status;
    }
    return CheckComplete();
  }

 private:
  bool Wants(unsigned what) const { return (verb_.wants & what) != 0; }
  bool IsCall() const { return verb_.verb == Verb::kCall; }
  bool Takes(Verb verb) const { return verb_.verb == verb; }

  absl::Status ParseWord() {
    const Token token = tokens_.Take();
    if (token.kind == TokenKind::kText && Takes(Verb::kRaise)) {
      statement_.text = token.text;
      return absl::OkStatus();
    }
    if (token.kind != TokenKind::kWord) return Unexpected(token);
    const std::string& word = token.text;
    if (word[0] == '@') return ParseSite(token);
    if (word[0] == '!' && IsCall()) return ParseForced(token);
    if (word == "in") return ParseFunctions();
    if (word == "on") return ParseOn();
    if (word == "as" && (Wants(kWantsColor) || Wants(kWantsWithout)))
      return TakeName(statement_.name, "a name behind as");
    if (word.find('=') != std::string::npos) return ParseKey(token);
    if (word.size() > 1 && word[0] == 'x' &&
        absl::ascii_isdigit(static_cast<unsigned char>(word[1])))
      return ParseRepeat(token);
    if (word == "fails" && statement_.operation == OPERATION_INIT) {
      const absl::StatusOr<int> code = tokens_.TakeNumber("an error code behind fails", 1);
      if (code.ok()) statement_.fails = *code;
      return code.status();
    }
    if (word == "in-place" && Wants(kWantsData)) return Set(statement_.in_place);
    if (word == "in-backward" && Wants(kWantsData)) return Set(statement_.in_backward);
    if (word == "async" && IsCall()) return Set(statement_.async);
    if (word == "caught" && Takes(Verb::kRaise)) return Set(statement_.caught);
    if (word == "progressing" && Takes(Verb::kBusy)) return Set(statement_.progressing);
    return ParseBare(token);
  }

  static absl::Status Set(bool& flag) {
    flag = true;
    return absl::OkStatus();
  }

  absl::Status ParseSite(const Token& token) {
    const std::size_t colon = token.text.rfind(':');
    if (colon == std::string::npos || colon == 1) return tokens_.Expected("@FILE:LINE", token);
    const absl::StatusOr<int> line = tokens_.Number(token, colon + 1, "@FILE:LINE", 1);
    if (!line.ok()) return line.status();
    statement_.file = token.text.substr(1, colon - 1);
    statement_.line = *line;
    return absl::OkStatus();
  }

  absl::Status ParseForced(const Token& token) {
    std::vector<std::string> known;
    for (const ForcedWord& forced : kForced) {
      if (token.text == forced.word) {
        statement_.forced = forced.forced;
        return absl::OkStatus();
      }
      known.emplace_back(forced.word);
    }
    return tokens_.Expected(absl::StrCat("a state (", absl::StrJoin(known, ", "), ")"), token,
                            known);
  }

  absl::Status ParseFunctions() {
    const absl::StatusOr<Token> path =
        tokens_.TakeWord("a function behind in, or functions with > between them");
    if (!path.ok()) return path.status();
    if (statement_.operation == OPERATION_SYNC && absl::StartsWith(path->text, "cuda")) {
      statement_.waits_in = path->text;
      return absl::OkStatus();
    }
    statement_.functions = absl::StrSplit(path->text, '>');
    for (const std::string& function : statement_.functions) {
      if (function.empty()) return tokens_.Expected("functions with > between them", *path);
    }
    return absl::OkStatus();
  }

  absl::Status ParseOn() {
    if (!Takes(Verb::kBlocked))
      return TakeName(statement_.communicator, "the name of a communicator behind on");
    const Token what = tokens_.Take();
    if (what.text == "lock") {
      statement_.blocked_on = BlockedOn::kLock;
    } else if (what.text == "io") {
      statement_.blocked_on = BlockedOn::kIo;
    } else if (what.text == "store") {
      statement_.blocked_on = BlockedOn::kStore;
    } else {
      return tokens_.Expected("lock, io or store", what, {"lock", "io", "store"});
    }
    return absl::OkStatus();
  }

  absl::Status TakeName(std::string& name, const std::string& what) {
    const absl::StatusOr<Token> word = tokens_.TakeWord(what);
    if (word.ok()) name = word->text;
    return word.status();
  }

  absl::Status ParseRepeat(const Token& token) {
    const absl::StatusOr<int> number = tokens_.Number(token, 1, "a number of repeats", 1);
    if (!number.ok()) return number.status();
    if (*number > kMostRepeats)
      return tokens_.Error(token.place,
                           absl::StrCat("expected at most ", kMostRepeats, " repeats"));
    statement_.repeat = *number;
    return absl::OkStatus();
  }

  std::vector<std::string> Keys() const {
    std::vector<std::string> keys;
    if (Wants(kWantsRoot)) keys.emplace_back("root=");
    if (Wants(kWantsTo)) keys.emplace_back("to=");
    if (Wants(kWantsFrom)) keys.emplace_back("from=");
    if (Wants(kWantsTo) || Wants(kWantsFrom)) keys.emplace_back("tag=");
    if (Wants(kWantsSize)) keys.emplace_back("size=");
    if (Wants(kWantsColor)) keys.insert(keys.end(), {"color=", "key="});
    if (Wants(kWantsWithout)) keys.emplace_back("without=");
    if (statement_.operation == OPERATION_INIT) keys.insert(keys.end(), {"rank=", "id="});
    if (statement_.operation == OPERATION_ALLTOALL)
      keys.insert(keys.end(), {"splits=", "receives="});
    if (IsCall() || Takes(Verb::kReplay)) keys.insert(keys.end(), {"stream=", "thread="});
    return keys;
  }

  absl::Status ParseKey(const Token& token) {
    const std::size_t equals = token.text.find('=') + 1;
    const std::string key = token.text.substr(0, equals), value = token.text.substr(equals);
    const std::vector<std::string> known = Keys();
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      Token name = token;
      name.text = key;
      return tokens_.Expected(known.empty()
                                  ? absl::StrCat("no argument of this form behind ", verb_.word)
                                  : absl::StrCat("one of ", absl::StrJoin(known, ", ")),
                              name, known);
    }
    if (key == "id=") {
      statement_.id = value;
      return absl::OkStatus();
    }
    if (key == "color=" && value == "-") {
      color_given_ = true;
      return absl::OkStatus();
    }
    if (key == "splits=" || key == "receives=" || key == "without=")
      return ParseNumbers(token, equals, key);
    const bool any_sign = key == "tag=" || key == "key=";
    const absl::StatusOr<int> number = tokens_.Number(
        token, equals, absl::StrCat("a number behind ", key), any_sign ? -(1 << 30) : 0);
    if (!number.ok()) return number.status();
    if (key == "root=") statement_.root = *number;
    if (key == "to=" || key == "from=") statement_.peer = *number;
    if (key == "tag=") statement_.tag = *number;
    if (key == "size=") statement_.size = *number;
    if (key == "rank=") statement_.rank = *number;
    if (key == "key=") statement_.key = *number;
    if (key == "stream=") statement_.stream = *number;
    if (key == "thread=") statement_.thread = *number;
    if (key == "color=") {
      statement_.color = *number;
      color_given_ = true;
    }
    return absl::OkStatus();
  }

  absl::Status ParseNumbers(const Token& token, std::size_t equals, const std::string& key) {
    for (const absl::string_view part : absl::StrSplit(token.text.substr(equals), ',')) {
      int number = 0;
      if (!absl::SimpleAtoi(part, &number) || number < 0)
        return tokens_.Expected(absl::StrCat("numbers with commas behind ", key), token);
      if (key == "splits=") {
        statement_.splits.push_back(static_cast<std::uint64_t>(number));
      } else if (key == "receives=") {
        statement_.receives.push_back(static_cast<std::uint64_t>(number));
      } else {
        statement_.without.push_back(number);
      }
    }
    return absl::OkStatus();
  }

  absl::Status ParseBare(const Token& token) {
    const std::string& word = token.text;
    std::uint64_t count = 0;
    if (Wants(kWantsData)) {
      if (absl::SimpleAtoi(word, &count)) {
        statement_.count = count;
        count_given_ = true;
        return absl::OkStatus();
      }
      if (const Datatype datatype = DatatypeOf(word); datatype != DATATYPE_UNKNOWN) {
        statement_.datatype = datatype;
        return absl::OkStatus();
      }
      const ReduceOperation redop = Wants(kWantsRedop) ? RedopOf(word) : REDUCE_OPERATION_NONE;
      if (redop != REDUCE_OPERATION_NONE) {
        statement_.redop = redop;
        return absl::OkStatus();
      }
      return Unexpected(token);
    }
    if (Takes(Verb::kSignal)) {
      statement_.signal = SignalOf(word);
      if (statement_.signal != 0) return absl::OkStatus();
      return tokens_.Expected("the name of a signal", token, KnownSignals());
    }
    if (Takes(Verb::kExit) || Takes(Verb::kDevice)) {
      const absl::StatusOr<int> code = tokens_.Number(
          token, 0, Takes(Verb::kExit) ? "an exit status" : "the number of a device", 0);
      if (code.ok()) statement_.code = *code;
      number_given_ = true;
      return code.status();
    }
    if ((Takes(Verb::kLate) || Takes(Verb::kAfter)) &&
        absl::SimpleAtod(word, &statement_.seconds) && statement_.seconds >= 0) {
      number_given_ = true;
      return absl::OkStatus();
    }
    return Unexpected(token);
  }

  // A word that is no argument and no modifier of this action.
  absl::Status Unexpected(const Token& token) const {
    std::vector<std::string> known = Keys();
    std::string what;
    if (Wants(kWantsData) && statement_.datatype == DATATYPE_UNKNOWN) {
      what = count_given_ ? "a datatype" : "a count and a datatype";
      known = KnownDatatypes();
    } else if (Wants(kWantsData)) {
      what = Wants(kWantsRedop) ? "a reduce operation or a modifier" : "a modifier";
      if (Wants(kWantsRedop)) {
        for (const std::string& redop : KnownRedops())
          known.push_back(redop);
      }
    } else if (Takes(Verb::kLate) || Takes(Verb::kAfter)) {
      what = "a number of seconds";
    } else {
      what = absl::StrCat("a modifier of ", verb_.word, ", or the end of the line");
    }
    known.insert(known.end(),
                 {"in", "on", "in-place", "in-backward", "async", "as", "caught", "progressing"});
    return tokens_.Expected(what, token, known);
  }

  absl::Status CheckComplete() {
    const auto lacks = [&](const std::string& what) {
      return tokens_.Expected(absl::StrCat(what, " behind ", verb_.word), tokens_.Peek());
    };
    if (!statement_.splits.empty() && !count_given_) {
      for (const std::uint64_t split : statement_.splits)
        statement_.count += split;
      count_given_ = true;
    }
    if (Wants(kWantsData) && !count_given_) return lacks("a count");
    if (Wants(kWantsData) && statement_.datatype == DATATYPE_UNKNOWN) return lacks("a datatype");
    if (Wants(kWantsRedop) && statement_.redop == REDUCE_OPERATION_NONE)
      statement_.redop = REDUCE_OPERATION_SUM;
    if (Wants(kWantsRoot) && !statement_.root) return lacks("root=RANK");
    if (Wants(kWantsTo) && !statement_.peer) return lacks("to=RANK");
    if (Wants(kWantsFrom) && !statement_.peer) return lacks("from=RANK");
    if (Wants(kWantsSize) && statement_.size == 0 && !statement_.fails) return lacks("size=NUMBER");
    if (Wants(kWantsColor) && !color_given_) return lacks("color=NUMBER, or color=-,");
    if (Wants(kWantsWithout) && statement_.without.empty()) return lacks("without=RANKS");
    if (Takes(Verb::kRaise) && statement_.text.empty()) return lacks("\"Type: text\"");
    if (Takes(Verb::kSignal) && statement_.signal == 0) return lacks("the name of a signal");
    if ((Takes(Verb::kLate) || Takes(Verb::kAfter) || Takes(Verb::kDevice)) && !number_given_)
      return lacks("a number");
    return absl::OkStatus();
  }

  TokenReader& tokens_;
  const VerbWord& verb_;
  Statement& statement_;
  bool count_given_ = false, color_given_ = false, number_given_ = false;
};

}  // namespace

absl::StatusOr<Statement> ParseAction(TokenReader& tokens) {
  const Token token = tokens.Take();
  const VerbWord* verb = token.kind == TokenKind::kWord ? FindVerb(token.text) : nullptr;
  if (verb == nullptr)
    return tokens.Expected("an operation, or what a process does", token, KnownVerbs());
  Statement statement;
  statement.place = token.place;
  statement.word = token.text;
  statement.verb = verb->verb;
  statement.operation = verb->operation;
  const absl::Status status = ActionParser(tokens, *verb, statement).Parse();
  if (!status.ok()) return status;
  if (statement.communicator == "default") statement.communicator = "world";
  return statement;
}

}  // namespace rollcall::analyzer::scenario
