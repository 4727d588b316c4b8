#pragma once

#include <fmt/format.h>

// `fmt::format_to` writes by a template that fmt's own file has compiled. Its header does not say
// so, and a file that calls it would compile most of the library once more.
extern template void fmt::detail::vformat_to(fmt::detail::buffer<char>& buffer,
                                             fmt::string_view format, fmt::format_args arguments,
                                             fmt::detail::locale_ref locale);
