// SPDX-License-Identifier: MIT
//
// libfmt for the static preset. Debian ships it as a shared library only; its headers hold the whole of it, and
// compiling that once here is far cheaper than once in each of our files (FMT_HEADER_ONLY). Templates that
// <fmt/format.h> declares extern are made here; if a later fmt needs more of them, the link of the static preset says
// which.
#include <fmt/format-inl.h>

namespace fmt::detail {

template void buffer<char>::append(const char*, const char*);
template void vformat_to(buffer<char>&, string_view, basic_format_args<buffer_context<char>>, locale_ref);
template thousands_sep_result<char> thousands_sep_impl<char>(locale_ref);
template char decimal_point_impl<char>(locale_ref);
template std::locale locale_ref::get<std::locale>() const;
template dragonbox::decimal_fp<float> dragonbox::to_decimal(float) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal(double) noexcept;

}  // namespace fmt::detail
