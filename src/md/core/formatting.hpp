#pragma once

#include <fmt/format.h>

// fmt compiles the template behind `fmt::format_to` into its library, but its header does not
// declare so. Without this declaration every file that calls it would compile most of fmt again.
extern template void fmt::detail::vformat_to(fmt::detail::buffer<char>& buffer,
                                             fmt::string_view format, fmt::format_args arguments,
                                             fmt::detail::locale_ref locale);
