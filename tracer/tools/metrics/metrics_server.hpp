// SPDX-License-Identifier: MIT
//
// One page, GET /metrics, over HTTP/1.1: for a monitoring system that comes and asks (a scrape).
//
// BOUNDS, whoever connects: one thread; 32 connections at once, others wait in the kernel's queue; each has 5 s for all
// it does, 8 KiB of request and one answer, then it is closed. The page is made once for each whole and right request.
// No encryption, no names and passwords: it listens on loopback unless an address is named, and what is to be seen from
// elsewhere belongs behind a proxy that has both.
//
// ANSWERS. 200 with the format that the request accepts (OpenMetrics 1.0 where it is named, else Prometheus's text
// 0.0.4); 404 for another page, 405 for another method, 400 for what is no request, 431 for one that is too long, 500
// where the page cannot be made.
//
// WHY OWN CODE. The binary is one static file, and Debian's libmicrohttpd brings GnuTLS with it (libmicrohttpd-dev
// depends on libgnutls28-dev). A page that takes no input needs a request line, one header and a time limit.
// SOURCE: RFC 9112 (HTTP/1.1), sections 3 and 9.6.
#pragma once

#include <functional>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/open_metrics.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>

namespace maxlat::trace_tools {

class MetricsServer {
 public:
  using Page = std::function<core::Result<std::string>(core::OpenMetrics::Format)>;

  // `where`: "9100" (of loopback), "127.0.0.1:9100", "[::]:9100"; port 0: any that is free.
  static core::Result<MetricsServer> listen(const std::string& where);
  const std::string& address() const { return address_; }  // "127.0.0.1:9100"
  // Until stop is requested (stop.hpp).
  core::Status serve(const Page& page);

 private:
  MetricsServer(base::Descriptor listener, std::string address)
      : listener_(std::move(listener)), address_(std::move(address)) {}

  base::Descriptor listener_;
  std::string address_;
};

}  // namespace maxlat::trace_tools
