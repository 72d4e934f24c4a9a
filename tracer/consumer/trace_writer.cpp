// SPDX-License-Identifier: MIT
#include <maxlat/base/counter.h>
#include <maxlat/ring/record.h>

#include <algorithm>
#include <cstring>
#include <maxlat/trace/trace_writer.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "books_text.hpp"
#include "session/boot_clock.hpp"
#include "shm/own_threads.hpp"
#include "written_trace.hpp"

namespace maxlat::trace {
namespace {

constexpr std::size_t kPacket = 64 * 1024;
constexpr std::uint64_t kReachOfShort = std::uint64_t{1} << MAXLAT_RING_TIME_BITS;

class FolderWriter final : public TraceWriter {
 public:
  FolderWriter(const TraceWriterOptions& options, const TraceClock& clock)
      : uuid_(random_uuid()),
        metadata_(metadata_of_trace({uuid_, options.session, options.process, options.pid, options.domain}, clock)) {}

  base::Status begin(const TraceWriterOptions& options) {
    base::Result<WrittenTrace> folder = WrittenTrace::create(
        options.directory,
        {.process = options.process,
         .pid = options.pid,
         .channels = options.channels,
         .metadata_length = [this] { return std::uint64_t{metadata_.size()}; },
         .metadata = [this](std::uint64_t length) { return base::Result<std::string>(metadata_.substr(0, length)); }},
        options.say);
    if (!folder) return folder.error();
    folder_.emplace(*std::move(folder));
    return {};
  }

  std::uint32_t add_channel(const std::string& name, StreamKind kind) override {
    const auto channel = static_cast<std::uint32_t>(books_.size());
    metadata_ += metadata_of_channel(channel, name, kind);
    books_.push_back({.name = name});
    kinds_.push_back(kind);
    return channel;
  }

  std::uint32_t add_event(std::uint32_t channel, const EventDescription& event) override {
    metadata_ += metadata_of_event(channel, ++last_id_, event);
    return last_id_;
  }

  std::size_t add_stream(std::uint32_t channel, std::uint32_t owner) override {
    const auto slot = static_cast<std::uint32_t>(
        std::count_if(streams_.begin(), streams_.end(), [&](const Stream& one) { return one.channel == channel; }));
    Stream& stream = streams_.emplace_back();
    stream.channel = channel;
    stream.name = books_[channel].name + "-" + std::to_string(slot) + "-0";
    const auto prefix = packet_prefix(uuid_, channel, owner | std::uint64_t{slot} << 32);
    std::memcpy(stream.head.prefix, prefix.data(), prefix.size());
    return streams_.size() - 1;
  }

  void write(std::size_t number, std::uint32_t id, std::uint64_t ticks,
             std::span<const std::uint8_t> payload) override {
    Stream& stream = streams_[number];
    if (stream.body.size() >= kPacket) append(stream);
    maxlat_ring_packet& head = stream.head;
    ticks = std::max(ticks, head.end_time);
    if (head.records == 0) head.begin_time = stream.base = ticks;
    const std::uint64_t size = maxlat_ring_record_size(payload.size());
    if (id < MAXLAT_RING_LONG_ID && size <= MAXLAT_RING_MAX_SHORT_BYTES && ticks - stream.base < kReachOfShort) {
      stream.put(maxlat_ring_record_word(maxlat_ring_record_kind(id, size), head.sequence, ticks));
    } else {
      stream.put(maxlat_ring_record_word(MAXLAT_RING_LONG_KIND, head.sequence, ticks));
      stream.put((size + MAXLAT_RING_LONG_EXTRA) / 8 | std::uint64_t{id} << 32);
      stream.put(ticks);
      stream.base = ticks;
    }
    stream.body.insert(stream.body.end(), payload.begin(), payload.end());
    stream.body.resize((stream.body.size() + 7) / 8 * 8);
    head.end_time = ticks;
    ++head.records;
    ++books_[stream.channel].produced;
  }

  void lose(std::size_t number, std::uint64_t events) override {
    Stream& stream = streams_[number];
    // The kernel's readers find the count in the packet behind the place, all others in the one before.
    if (kinds_[stream.channel] == StreamKind::kernel) append(stream);
    stream.head.lost_full += events;
    append(stream);
    books_[stream.channel].lost_full += events;
    books_[stream.channel].produced += events;
  }

  void flush() override {
    for (Stream& stream : streams_) append(stream);
  }

  void tell(std::uint32_t channel, const Told& told) override {
    ChannelBooks& books = books_[channel];
    const std::uint64_t lost_full = told.lost_full + told.lost_first;
    books.lost_full += lost_full;
    books.lost_first += told.lost_first;
    books.lost_wrap += told.lost_wrap;
    books.not_written += told.not_written;
    books.produced += lost_full + told.lost_wrap + told.not_written;
    if (told.produced != 0) books.produced = told.produced;
  }

  RecordingReport finish() override {
    flush();
    streams_.clear();  // closes their files
    folder_->write_books(books_text(books_));
    return {.trace = folder_->path(), .channels = books_, .write_failed = folder_->failed()};
  }

 private:
  struct Stream {
    std::uint32_t channel = 0;
    std::string name;
    maxlat_ring_packet head{};  // of the packet that is being filled
    std::uint64_t base = 0;     // from which the times of its short records count
    std::vector<std::uint8_t> body;
    std::unique_ptr<TraceFile> file;

    void put(std::uint64_t word) {
      const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&word);
      body.insert(body.end(), bytes, bytes + sizeof word);
    }
  };

  // The packet to its file, and the next begins.
  void append(Stream& stream) {
    maxlat_ring_packet& head = stream.head;
    if (head.records == 0) return;
    ChannelBooks& books = books_[stream.channel];
    head.content_bits = 8 * (sizeof head + stream.body.size());
    head.lost_total = head.lost_full;
    if (folder_->append(stream.file, stream.name, head, stream.body)) {
      books.recorded += head.records;
      books.bytes += sizeof head + stream.body.size();
      books.delivery_max_ticks = std::max(books.delivery_max_ticks, maxlat_counter_plain() - head.begin_time);
      ++head.sequence;
    } else {
      books.not_written += head.records;
    }
    head.records = 0;
    stream.body.clear();
  }

  const Uuid uuid_;
  std::string metadata_;
  std::uint32_t last_id_ = 0;
  std::vector<ChannelBooks> books_;
  std::vector<StreamKind> kinds_;  // of channels
  std::vector<Stream> streams_;
  std::optional<WrittenTrace> folder_;
};

}  // namespace

void run_where_recorders_do() {
  detail::leave_kept_free_cpus();
}

base::Result<std::unique_ptr<TraceWriter>> TraceWriter::create(const TraceWriterOptions& options) {
  const base::CounterClock counter = base::calibrate();
  if (!counter.trusted)
    return base::Error{"the time-stamp counter cannot be trusted: " + counter.why, "the tracer has no other clock",
                       base::Exit::cannot_run};
  auto writer = std::make_unique<FolderWriter>(options, detail::boot_clock(counter));
  if (const base::Status begun = writer->begin(options); !begun) return begun.error();
  return std::unique_ptr<TraceWriter>(std::move(writer));
}

}  // namespace maxlat::trace
