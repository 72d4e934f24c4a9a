// SPDX-License-Identifier: MIT
// C's calls of the control side, each in terms of the C++ one of its name.
#include <maxlat/trace.h>

#include <maxlat/trace/control.hpp>
#include <maxlat/trace/session.hpp>
#include <maxlat/trace/thread.hpp>
#include <new>
#include <string>
#include <utility>

namespace trace = maxlat::trace;
namespace base = maxlat::base;

struct maxlat_trace_session {
  trace::Session session;
};

namespace {

thread_local std::string last_error;

int told(const base::Status& status) {
  if (status) return 0;
  last_error = status.error().text;
  if (!status.error().hint.empty()) last_error += " (" + status.error().hint + ")";
  return -1;
}

}  // namespace

int maxlat_trace_open_control(void) {
  return told(trace::open_control());
}
void maxlat_trace_close_control(void) {
  trace::close_control();
}
bool maxlat_trace_prepare_thread(void) {
  return trace::prepare_thread();
}
void maxlat_trace_flush(void) {
  trace::flush();
}
const char* maxlat_trace_error(void) {
  return last_error.c_str();
}

maxlat_trace_session* maxlat_trace_session_create(const char* name) {
  base::Result<trace::Session> session = trace::Session::create({.name = name == nullptr ? "" : name});
  if (session) return new maxlat_trace_session{*std::move(session)};
  told(session.error());
  return nullptr;
}

void maxlat_trace_session_close(maxlat_trace_session* session) {
  delete session;
}

int maxlat_trace_session_add_channel(maxlat_trace_session* session, const maxlat_trace_channel* channel) {
  trace::ChannelOptions options;
  if (channel->name != nullptr) options.name = channel->name;
  if (channel->when_full == MAXLAT_TRACE_OVERWRITE) options.when_full = trace::FullBuffer::overwrite;
  if (channel->ownership == MAXLAT_TRACE_PER_CPU) options.ownership = trace::Ownership::per_cpu;
  if (channel->delivery == MAXLAT_TRACE_WAKEUP) options.delivery = trace::Delivery::wakeup;
  if (channel->context == MAXLAT_TRACE_CPU) options.context = trace::Context::cpu;
  if (channel->sub_buffer_size != 0) options.sub_buffer_size = channel->sub_buffer_size;
  if (channel->sub_buffers != 0) options.sub_buffers = channel->sub_buffers;
  if (channel->slots != 0) options.slots = channel->slots;
  return told(session->session.add_channel(options));
}

int maxlat_trace_session_enable(maxlat_trace_session* session, const char* channel, const char* pattern,
                                maxlat_trace_level up_to) {
  return told(session->session.enable(channel, pattern, static_cast<trace::Level>(up_to)));
}
int maxlat_trace_session_disable(maxlat_trace_session* session, const char* channel, const char* pattern) {
  return told(session->session.disable(channel, pattern));
}
int maxlat_trace_session_start(maxlat_trace_session* session) {
  return told(session->session.start());
}
int maxlat_trace_session_stop(maxlat_trace_session* session) {
  return told(session->session.stop());
}
int maxlat_trace_session_destroy(maxlat_trace_session* session) {
  return told(session->session.destroy());
}

void maxlat_trace_session_books(maxlat_trace_session* session, maxlat_trace_books* books) {
  *books = {};
  for (const trace::ChannelStatus& channel : session->session.status().channels) {
    books->recorded += channel.books.recorded;
    books->lost_full += channel.books.lost_full;
    books->lost_wrap += channel.books.lost_wrap;
    books->lost_big += channel.books.lost_big;
    books->lost_no_ring += channel.books.lost_no_ring;
  }
}

void maxlat_trace_request_snapshot(maxlat_trace_session* session) {
  session->session.request_snapshot();
}
