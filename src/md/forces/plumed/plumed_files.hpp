#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace sterna::md {

/// The files that PLUMED's kernel has open for writing, as the system shows them. PLUMED opens and
/// names its files itself.
class PlumedFiles {
 public:
  /// Forgets those of before: files that are open now are not PLUMED's.
  void begin();
  /// Takes those that were opened since `begin` as PLUMED's.
  void end();

  struct File {
    std::string path;
    std::uint64_t bytes;
  };
  /// Their sizes, after all that was written has left the program's memory.
  std::vector<File> sizes() const;

  const std::set<std::string>& paths() const { return paths_; }

  /// Shortens files to these sizes, so that a resumed run goes on where its checkpoint was written.
  /// Throws FileError if one is missing or shorter.
  static void shorten(const std::vector<File>& files);
  /// The same for those to which the kernel appends at present. No error if one cannot be.
  void shorten_open(const std::vector<File>& files) const;

 private:
  static std::set<std::string> open_for_writing(bool only_appended);
  std::set<std::string> before_, paths_;
};

}  // namespace sterna::md
