#pragma once

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace sterna::test {

/// A text file of tests/data that stands for a folder of small files, which it is unpacked into as
/// long as this object lives. `tools/archive.py` says what its lines mean, and packs and unpacks
/// it as well.
class Archive {
 public:
  /// `name`: "broken_inputs.txt" of tests/data.
  explicit Archive(const std::string& name)
      : path_(std::filesystem::path(STERNA_SOURCE_DIR) / "tests" / "data" / name) {
    std::string place = (std::filesystem::temp_directory_path() / "sterna-XXXXXX").string();
    if (mkdtemp(place.data()) == nullptr) throw std::runtime_error("no folder " + place);
    folder_ = std::filesystem::canonical(place);
    for (const auto& [file, text] : parsed(content(path_))) {
      std::ofstream(folder_ / file, std::ios::binary) << text;
    }
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  ~Archive() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  const std::filesystem::path& folder() const { return folder_; }

  /// Writes the archive of what the folder has now.
  void update() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      files[entry.path().filename().string()] = content(entry.path());
    }
    std::ofstream archive(path_, std::ios::binary);
    for (const auto& [file, text] : files) archive << packed(file, text);
  }

  static std::string content(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  static constexpr std::string_view head = "-- ", unended = " (without a last line end)",
                                    escaped = " (with bytes as \\xHH)", tail = " --";

  static bool ends_with(std::string& text, std::string_view end) {
    if (!text.ends_with(end)) return false;
    text.resize(text.size() - end.size());
    return true;
  }

  static std::map<std::string, std::string> parsed(const std::string& archive) {
    std::map<std::string, std::string> files;
    std::istringstream lines(archive);
    std::string line, name, text;
    bool without_end = false, with_bytes = false;
    const auto finish = [&] {
      if (name.empty()) return;
      if (without_end && !text.empty()) text.pop_back();
      files[name] = with_bytes ? unescaped(text) : text;
      text.clear();
    };
    while (std::getline(lines, line)) {
      if (!line.starts_with(head) || !line.ends_with(tail)) {
        text += line + "\n";
        continue;
      }
      finish();
      name = line.substr(head.size(), line.size() - head.size() - tail.size());
      with_bytes = ends_with(name, escaped);
      without_end = ends_with(name, unended);
    }
    finish();
    return files;
  }

  static std::string packed(const std::string& name, const std::string& text) {
    bool with_bytes = false;
    for (const char c : text) {
      with_bytes |= c != '\n' && c != '\t' && std::isprint(static_cast<unsigned char>(c)) == 0;
    }
    const bool without_end = text.empty() || text.back() != '\n';
    std::string made(head);
    made += name;
    if (without_end) made += unended;
    if (with_bytes) made += escaped;
    made += tail;
    made += "\n" + (with_bytes ? with_escapes(text) : text) + (without_end ? "\n" : "");
    return made;
  }

  static std::string with_escapes(const std::string& text) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string made;
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '\n' || c == '\t' || (std::isprint(byte) != 0 && c != '\\')) {
        made += c;
      } else {
        made += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
      }
    }
    return made;
  }

  static std::string unescaped(const std::string& text) {
    std::string made;
    for (std::size_t k = 0; k < text.size(); ++k) {
      if (text[k] != '\\') {
        made += text[k];
        continue;
      }
      made += static_cast<char>(std::stoi(text.substr(k + 2, 2), nullptr, 16));
      k += 3;
    }
    return made;
  }

  std::filesystem::path path_, folder_;
};

}  // namespace sterna::test
