#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace sterna::md {

/// A constant text that all its copies share, because many places have the same source line.
class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string text)
      : text_(text.empty() ? nullptr : std::make_shared<const std::string>(std::move(text))) {}
  SharedText(const char* text) : SharedText(std::string(text)) {}

  /// @cond (the site's links to a conversion lead nowhere)
  operator const std::string&() const {
    static const std::string none;
    return text_ ? *text_ : none;
  }
  /// @endcond
  std::string_view view() const { return text_ ? std::string_view(*text_) : std::string_view(); }
  bool empty() const { return text_ == nullptr; }
  std::size_t size() const { return view().size(); }
  friend bool operator==(const SharedText& a, std::string_view b) { return a.view() == b; }

 private:
  std::shared_ptr<const std::string> text_;
};

}  // namespace sterna::md
