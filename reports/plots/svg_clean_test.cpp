// SPDX-License-Identifier: MIT
#include "svg_clean.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace maxlat::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What gnuplot 5.4 writes, shortened.
constexpr const char* kSvg = R"svg(<?xml version="1.0" encoding="utf-8"  standalone="no"?>
<svg
 viewBox="0 0 480 300"
 xmlns="http://www.w3.org/2000/svg"
 xmlns:xlink="http://www.w3.org/1999/xlink"
>
<title>p3</title>
<desc>Produced by GNUPLOT 5.4 patchlevel 4 </desc>
<g id="gnuplot_canvas">
<rect x="0" y="0" width="480" height="300" fill="none"/>
<defs>
	<circle id='gpDot' r='0.5' stroke-width='0.5' stroke='currentColor'/>
	<circle id='gpPt5' stroke-width='0.222' stroke='currentColor' cx='0' cy='0' r='1'/>
	<use xlink:href='#gpPt5' id='gpPt6' fill='currentColor' stroke='none'/>
	<filter id='textbox'><feFlood flood-color='#FFFFFF'/></filter>
</defs>
<g fill="none" color="white" stroke="currentColor">
</g>
<g fill="none" color="black" stroke="currentColor">
	<path stroke='rgb(217, 221, 226)' class="gridline" d='M1,2 L3,4'/>	<g transform="translate(1,2)" stroke="none" fill="black" font-family="sans-serif" font-size="12.00" text-anchor="end">
		<text>99.9 % &lt; 1</text>
	</g>
	<g transform="translate(7,7)" stroke="none" fill="black">
		<text></text>
	</g>
</g>
	<g id="p3_plot_1" ><title>p3_plot_1</title>
<g fill="none" color="white" stroke="currentColor">
</g>
<g fill="none" color="black" stroke="currentColor">
	<polygon fill = 'rgb( 75,  85,  99)' fill-opacity = '0.35' points = '1,2 3,4 '/>
	<use xlink:href='#gpPt6' transform='translate(1,2)' color='rgb(  0, 114, 178)'/>
</g>
	</g>
</g>
</svg>
)svg";

Plot two_series() {
  Plot plot;
  plot.kind = "cpus";
  plot.title = "idle <1> & \"2\": By CPU";
  plot.description = "words";
  plot.series = {{"CPU <0>", 0, Series::Shape::area, {{{1, 2}}}}};
  return plot;
}

std::string cleaned() {
  auto svg = clean_svg(kSvg, "p3", two_series());
  EXPECT_TRUE(svg) << (svg ? "" : svg.error().text);
  return svg ? *svg : "";
}

TEST(CleanSvg, LeavesOneElementWithoutPrologue) {
  EXPECT_TRUE(cleaned().starts_with("<svg "));
  EXPECT_TRUE(cleaned().ends_with("</svg>"));
  EXPECT_THAT(cleaned(), Not(HasSubstr("<?xml")));
  EXPECT_THAT(cleaned(), Not(HasSubstr("GNUPLOT")));
}

TEST(CleanSvg, IsNamedForThoseWhoCannotSeeIt) {
  EXPECT_THAT(cleaned(), HasSubstr("role=\"img\" aria-labelledby=\"p3-title p3-desc\""));
  EXPECT_THAT(cleaned(), HasSubstr("<title id=\"p3-title\">idle &lt;1&gt; &amp; &quot;2&quot;: By CPU</title>"));
}

TEST(CleanSvg, EveryIdBeginsWithThePlots) {
  const std::string svg = cleaned();
  for (size_t at = svg.find(" id=\""); at != std::string::npos; at = svg.find(" id=\"", at + 1))
    EXPECT_EQ(svg.compare(at + 5, 2, "p3"), 0) << svg.substr(at, 30);
  EXPECT_THAT(svg, HasSubstr("href=\"#p3-gpPt6\""));
  EXPECT_THAT(svg, Not(HasSubstr("xlink")));
}

TEST(CleanSvg, KeepsWhatIsReferredToAndDropsTheRest) {
  EXPECT_THAT(cleaned(), HasSubstr("id=\"p3-gpPt6\""));
  EXPECT_THAT(cleaned(), HasSubstr("id=\"p3-gpPt5\""));  // gpPt6 refers to it
  EXPECT_THAT(cleaned(), Not(HasSubstr("gpDot")));
  EXPECT_THAT(cleaned(), Not(HasSubstr("textbox")));
}

TEST(CleanSvg, ColoursFollowThePage) {
  EXPECT_THAT(cleaned(), HasSubstr("fill=\"var(--s0,#4b5563)\""));
  EXPECT_THAT(cleaned(), HasSubstr("color=\"var(--s1,#0072b2)\""));
  EXPECT_THAT(cleaned(), HasSubstr("stroke=\"var(--grid,#d9dde2)\""));
  EXPECT_THAT(cleaned(), Not(HasSubstr("\"black\"")));
  EXPECT_THAT(cleaned(), Not(HasSubstr("font-family")));
}

TEST(CleanSvg, KeepsDataTextAndNamesOfSeries) {
  EXPECT_THAT(cleaned(), HasSubstr("points=\"1,2 3,4"));
  EXPECT_THAT(cleaned(), HasSubstr("99.9 % &lt; 1"));
  EXPECT_THAT(cleaned(), HasSubstr("data-series=\"CPU &lt;0&gt;\"><title>CPU &lt;0&gt;</title>"));
  EXPECT_THAT(cleaned(), Not(HasSubstr("p3_plot_1</title>")));
}

TEST(CleanSvg, DropsEmptyGroupsAndTexts) {
  EXPECT_THAT(cleaned(), Not(HasSubstr("translate(7,7)")));
  EXPECT_THAT(cleaned(), Not(HasSubstr("white")));
  EXPECT_THAT(cleaned(), Not(HasSubstr("stroke=\"currentColor\"></g>")));
}

TEST(CleanSvg, RefusesWhatIsNotWellFormed) {
  const std::string whole = kSvg;
  for (const size_t length : {size_t{0}, size_t{60}, whole.size() / 2, whole.rfind("</svg>")})
    EXPECT_FALSE(clean_svg(whole.substr(0, length), "p", two_series())) << length;
  EXPECT_FALSE(clean_svg("<html></html>", "p", two_series()));
}

}  // namespace
}  // namespace maxlat::reports
