#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "md/input/diagnostics.hpp"

using namespace sterna::md;

namespace {

Diagnostic at(int column, int length, std::string line) {
  return {Severity::error, "a.toml", 7, column, length, "wrong", std::move(line)};
}

}  // namespace

TEST_CASE("a diagnostic shows its place as compilers do") {
  CHECK(render(at(1, 7, "timestp = 0.005")) ==
        "a.toml:7:1: error: wrong\n"
        "    7 | timestp = 0.005\n"
        "      | ^~~~~~~\n");
  CHECK(render(at(9, 1, "steps = 3")) ==
        "a.toml:7:9: error: wrong\n"
        "    7 | steps = 3\n"
        "      |         ^\n");
  Diagnostic warning = at(1, 1, "x");
  warning.severity = Severity::warning;
  CHECK(render(warning).starts_with("a.toml:7:1: warning: wrong\n"));
  warning.severity = Severity::advice;
  warning.line = 0;
  CHECK(render(warning) == "a.toml: advice: wrong\n");
  warning.file.clear();
  CHECK(render(warning) == "advice: wrong\n");
}

TEST_CASE("the caret stands under its character") {
  // Tabs are repeated, wide characters take two columns, combining ones none.
  CHECK(render(at(4, 2, "\t\ta=x")) ==
        "a.toml:7:4: error: wrong\n"
        "    7 | \t\ta=x\n"
        "      | \t\t ^~\n");
  CHECK(render(at(4, 1, "日本=x")).ends_with("      |      ^\n"));
  CHECK(render(at(1, 2, "日本")).ends_with("      | ^~~~\n"));
  CHECK(render(at(3, 1, "e\u0301x")).ends_with("      |  ^\n"));
}

TEST_CASE("a caret beyond the line, and lines that would do harm") {
  CHECK(render(at(4, 1, "abc")).ends_with("    7 | abc\n      |    ^\n"));
  CHECK(render(at(100, 5, "abc")).ends_with("    7 | abc\n      |    ^\n"));
  CHECK(render(at(1, 1, "")).ends_with("    7 | \n      | ^\n"));
  CHECK(render(at(-3, -3, "abc")).find("7:1:") != std::string::npos);
  CHECK(render(at(2, 2, "a\x1b[2J\x07")).ends_with("    7 | a\\x1b[2J\\x07\n      |  ^~~~~\n"));
  CHECK(render(at(2, 1, "\xff\xfe")).ends_with("    7 | \\xff\\xfe\n      |     ^~~~\n"));
  // The message and the name of the file come from outside as well.
  Diagnostic diagnostic = at(1, 1, "x");
  diagnostic.file = "a\x1b]0;b.toml";
  diagnostic.message = "key \x1b[31m\nb.toml:1:1: error: \u202e \u009b \t is wrong";
  CHECK(render(diagnostic) ==
        "a\\x1b]0;b.toml:7:1: error: key \\x1b[31m\\nb.toml:1:1: error: \\u202e \\u009b \\t is "
        "wrong\n    7 | x\n      | ^\n");
}

TEST_CASE("of a long line the part around the place is shown") {
  const std::string line = std::string(500, 'a') + "X" + std::string(500, 'b');
  const std::string text = render(at(501, 1, line));
  CHECK(text.size() < 400);
  CHECK(text.find("...aaa") != std::string::npos);
  CHECK(text.find("bbb...") != std::string::npos);
  const auto source = text.find("X"), caret = text.find("^");
  const auto column = [&](std::size_t i) { return i - text.rfind('\n', i); };
  CHECK(column(source) == column(caret));
}

TEST_CASE("all diagnostics are counted") {
  std::vector<Diagnostic> all{at(1, 1, "x"), at(1, 1, "x")};
  CHECK(render(std::vector<Diagnostic>{}).empty());
  CHECK(render(all).ends_with("\n2 errors\n"));
  all[1].severity = Severity::warning;
  all.push_back(all[1]);
  all.push_back(all[1]);
  all.back().severity = Severity::advice;
  CHECK(render(all).ends_with("\n1 error, 2 warnings, 1 piece of advice\n"));
  CHECK(has_errors(all));
  all.erase(all.begin());
  CHECK_FALSE(has_errors(all));
}

TEST_CASE("colors only where asked for") {
  CHECK(render(at(1, 1, "x"), true).find("\x1b[") != std::string::npos);
  CHECK(render(at(1, 1, "x"), false).find("\x1b[") == std::string::npos);
}
