// SPDX-License-Identifier: MIT
// A graph of the library: a source for each trace, the muxer that brings their messages into the order of time, and a
// sink of ours. A source that cannot be made (its metadata is none, a packet reaches beyond its file) is left out and
// told; a graph that has met an error takes no more components, so it is made anew without that source.
#include <babeltrace2/babeltrace.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <string_view>

#include "foreign_trace.hpp"

namespace maxlat::trace_tools {
namespace {

template <auto Put>
struct PutBack {
  template <typename T>
  void operator()(const T* object) const {
    Put(object);
  }
};
template <typename T, auto Put>
using Owned = std::unique_ptr<const T, PutBack<Put>>;
using Plugin = Owned<bt_plugin, bt_plugin_put_ref>;
using Value = Owned<bt_value, bt_value_put_ref>;
using Graph = Owned<bt_graph, bt_graph_put_ref>;

Plugin plugin(const char* name) {
  const bt_plugin* found = nullptr;
  if (bt_plugin_find(name, BT_FALSE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE, &found) != BT_PLUGIN_FIND_STATUS_OK)
    found = nullptr;
  return Plugin(found);
}

// Where a source had failed, that would be the deepest cause. What the muxer says of it is each version's own.
bool is_of_the_muxer(const bt_error_cause* cause) {
  switch (bt_error_cause_get_actor_type(cause)) {
    case BT_ERROR_CAUSE_ACTOR_TYPE_COMPONENT:
      return bt_error_cause_component_actor_get_component_class_name(cause) == std::string_view("muxer");
    case BT_ERROR_CAUSE_ACTOR_TYPE_MESSAGE_ITERATOR:
      return bt_error_cause_message_iterator_actor_get_component_class_name(cause) == std::string_view("muxer");
    default:
      return false;
  }
}

// The deepest cause of the error that the library holds for this thread, in one line; it holds none afterwards.
std::string take_error() {
  std::string text;
  if (const bt_error* error = bt_current_thread_take_error(); error != nullptr) {
    if (bt_error_get_cause_count(error) != 0) {
      const bt_error_cause* cause = bt_error_borrow_cause_by_index(error, 0);
      text = is_of_the_muxer(cause) ? "its clocks do not go together, and so its events have no common order of time"
                                    : bt_error_cause_get_message(cause);
    }
    bt_error_release(error);
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.empty() ? "libbabeltrace2 gives no reason" : text;
}

struct Source {
  std::vector<std::string> folders;  // of one trace
};

// What the source says of a folder: nothing, when it can make nothing of it, or the name of the trace that it belongs
// to, which may be empty.
std::optional<std::string> group_of(const bt_component_class_source* source, const std::string& folder) {
  bt_value* map = bt_value_map_create();
  const Value parameters(map);
  bt_value_map_insert_string_entry(map, "type", "directory");
  bt_value_map_insert_string_entry(map, "input", folder.c_str());
  bt_query_executor* executor = bt_query_executor_create(bt_component_class_source_as_component_class_const(source),
                                                         "babeltrace.support-info", map);
  const bt_value* answer = nullptr;
  const auto status = bt_query_executor_query(executor, &answer);
  bt_query_executor_put_ref(executor);
  if (status != BT_QUERY_EXECUTOR_QUERY_STATUS_OK) {
    bt_current_thread_clear_error();
    return std::nullopt;
  }
  const Value owned(answer);
  if (bt_value_is_real(answer)) return bt_value_real_get(answer) > 0 ? std::optional<std::string>("") : std::nullopt;
  const bt_value* weight = bt_value_map_borrow_entry_value_const(answer, "weight");
  if (weight == nullptr || !bt_value_is_real(weight) || bt_value_real_get(weight) <= 0) return std::nullopt;
  const bt_value* group = bt_value_map_borrow_entry_value_const(answer, "group");
  return group != nullptr && bt_value_is_string(group) ? bt_value_string_get(group) : "";
}

class Reading {
 public:
  explicit Reading(const ForeignSink& sink) : sink_(sink) {}

  // RETURNS: whether the messages are as the library promises: false ends the reading.
  bt_graph_simple_sink_component_consume_func_status consume(bt_message_iterator* iterator) {
    bt_message_array_const messages = nullptr;
    std::uint64_t count = 0;
    const bt_message_iterator_next_status status = bt_message_iterator_next(iterator, &messages, &count);
    if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK)  // these statuses have the same numbers everywhere
      return static_cast<bt_graph_simple_sink_component_consume_func_status>(status);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (!ended_) message(messages[i]);
      bt_message_put_ref(messages[i]);
    }
    return ended_ ? BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END
                  : BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
  }

 private:
  static std::optional<std::int64_t> time_of(const bt_clock_snapshot* snapshot) {
    std::int64_t ns = 0;
    const bool known =
        bt_clock_snapshot_get_ns_from_origin(snapshot, &ns) == BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK;
    if (known) return ns;
    bt_current_thread_clear_error();
    return std::nullopt;
  }

  static std::string environment(const bt_trace* trace, const char* name) {
    const bt_value* value = bt_trace_borrow_environment_entry_value_by_name_const(trace, name);
    if (value == nullptr) return {};
    if (bt_value_is_string(value)) return bt_value_string_get(value);
    return bt_value_is_signed_integer(value) ? std::to_string(bt_value_integer_signed_get(value)) : std::string();
  }

  // "app 17", or the host, or the trace's own name.
  static std::string trace_name(const bt_trace* trace) {
    std::string name = environment(trace, "procname");
    const std::string pid = environment(trace, "vpid");
    if (!name.empty()) return pid.empty() ? name : name + " " + pid;
    name = environment(trace, "hostname");
    const char* own = bt_trace_get_name(trace);
    if (name.empty() && own != nullptr) name = own;
    return name.empty() ? "-" : name;
  }

  ForeignStream& stream_of(const bt_stream* stream) {
    const auto [found, is_new] = by_stream_.try_emplace(stream, streams_.size());
    if (!is_new) return streams_[found->second];
    ForeignStream& known = streams_.emplace_back();
    known.number = found->second;
    known.trace = trace_name(bt_stream_borrow_trace_const(stream));
    const char* name = bt_stream_get_name(stream);
    known.name = name != nullptr ? name : "stream " + std::to_string(bt_stream_get_id(stream));
    return known;
  }

  void message(const bt_message* message) {
    switch (bt_message_get_type(message)) {
      case BT_MESSAGE_TYPE_EVENT:
        return event(message);
      case BT_MESSAGE_TYPE_PACKET_BEGINNING:
        return sink_.packet(
            stream_of(bt_packet_borrow_stream_const(bt_message_packet_beginning_borrow_packet_const(message))));
      case BT_MESSAGE_TYPE_DISCARDED_EVENTS: {
        const bt_stream* stream = bt_message_discarded_events_borrow_stream_const(message);
        ForeignLoss loss{&stream_of(stream), false, {}, {}, {}};
        std::uint64_t count = 0;
        if (bt_message_discarded_events_get_count(message, &count) == BT_PROPERTY_AVAILABILITY_AVAILABLE)
          loss.count = count;
        if (bt_stream_class_discarded_events_have_default_clock_snapshots(bt_stream_borrow_class_const(stream))) {
          loss.after_ns = time_of(bt_message_discarded_events_borrow_beginning_default_clock_snapshot_const(message));
          loss.before_ns = time_of(bt_message_discarded_events_borrow_end_default_clock_snapshot_const(message));
        }
        return sink_.loss(loss);
      }
      case BT_MESSAGE_TYPE_DISCARDED_PACKETS: {
        const bt_stream* stream = bt_message_discarded_packets_borrow_stream_const(message);
        ForeignLoss loss{&stream_of(stream), true, {}, {}, {}};
        std::uint64_t count = 0;
        if (bt_message_discarded_packets_get_count(message, &count) == BT_PROPERTY_AVAILABILITY_AVAILABLE)
          loss.count = count;
        if (bt_stream_class_discarded_packets_have_default_clock_snapshots(bt_stream_borrow_class_const(stream))) {
          loss.after_ns = time_of(bt_message_discarded_packets_borrow_beginning_default_clock_snapshot_const(message));
          loss.before_ns = time_of(bt_message_discarded_packets_borrow_end_default_clock_snapshot_const(message));
        }
        return sink_.loss(loss);
      }
      case BT_MESSAGE_TYPE_STREAM_END:  // the library may use its address again
        by_stream_.erase(bt_message_stream_end_borrow_stream_const(message));
        last_ = nullptr;
        return;
      default:
        return;
    }
  }

  void event(const bt_message* message) {
    const bt_event* event = bt_message_event_borrow_event_const(message);
    const bt_stream* stream = bt_event_borrow_stream_const(event);
    if (stream != last_) {
      last_ = stream;
      last_stream_ = &stream_of(stream);
      last_has_clock_ =
          bt_stream_class_borrow_default_clock_class_const(bt_stream_borrow_class_const(stream)) != nullptr;
    }
    ForeignEvent told;
    const char* name = bt_event_class_get_name(bt_event_borrow_class_const(event));
    told.name = name != nullptr ? name : "<unnamed>";
    if (last_has_clock_) told.time_ns = time_of(bt_message_event_borrow_default_clock_snapshot_const(message));
    told.stream = last_stream_;
    told.event = event;
    foreign_came_further();
    ended_ = !sink_.event(told);
  }

  const ForeignSink& sink_;
  std::deque<ForeignStream> streams_;  // whoever was told of one may keep the address
  std::map<const bt_stream*, std::size_t> by_stream_;
  const bt_stream* last_ = nullptr;
  const ForeignStream* last_stream_ = nullptr;
  bool last_has_clock_ = false;
  bool ended_ = false;
};

bt_graph_simple_sink_component_consume_func_status consume(bt_message_iterator* iterator, void* reading) {
  return static_cast<Reading*>(reading)->consume(iterator);
}

class GraphBuilder {
 public:
  GraphBuilder() : ctf_(plugin("ctf")), utils_(plugin("utils")) {
    if (ctf_) source_ = bt_plugin_borrow_source_component_class_by_name_const(ctf_.get(), "fs");
    if (utils_) muxer_ = bt_plugin_borrow_filter_component_class_by_name_const(utils_.get(), "muxer");
    bt_current_thread_clear_error();
  }
  bool has_plugins() const { return source_ != nullptr && muxer_ != nullptr; }
  const bt_component_class_source* source() const { return source_; }

  // A graph with these sources, but those that fail, which leave the list and go to `breaks`. RETURNS: nothing when
  // there is nothing to read.
  Graph build(std::vector<Source>& sources, Reading& reading, std::vector<trace::TraceBreak>& breaks) const {
    for (;;) {
      bt_graph* graph = bt_graph_create(0);
      Graph owned(graph);
      const bt_component_filter* muxer = nullptr;
      const bt_component_sink* sink = nullptr;
      bool sound = graph != nullptr &&
                   bt_graph_add_filter_component(graph, muxer_, "muxer", nullptr, BT_LOGGING_LEVEL_NONE, &muxer) ==
                       BT_GRAPH_ADD_COMPONENT_STATUS_OK &&
                   bt_graph_add_simple_sink_component(graph, "maxlat", nullptr, &consume, nullptr, &reading, &sink) ==
                       BT_GRAPH_ADD_COMPONENT_STATUS_OK;
      if (!sound) {
        breaks.push_back({"libbabeltrace2", 0, take_error()});
        return {};
      }
      const auto failed = std::find_if_not(sources.begin(), sources.end(),
                                           [&](const Source& source) { return add(graph, muxer, source); });
      if (failed != sources.end()) {
        breaks.push_back({failed->folders.front(), 0, take_error()});
        sources.erase(failed);
        continue;
      }
      if (bt_component_filter_get_input_port_count(muxer) < 2) return {};  // the last is always free
      sound = bt_graph_connect_ports(graph, bt_component_filter_borrow_output_port_by_index_const(muxer, 0),
                                     bt_component_sink_borrow_input_port_by_index_const(sink, 0),
                                     nullptr) == BT_GRAPH_CONNECT_PORTS_STATUS_OK;
      if (sound) return owned;
      breaks.push_back({"libbabeltrace2", 0, take_error()});
      return {};
    }
  }

 private:
  bool add(bt_graph* graph, const bt_component_filter* muxer, const Source& source) const {
    bt_value* parameters = bt_value_map_create();
    const Value owned(parameters);
    bt_value* inputs = nullptr;
    bt_value_map_insert_empty_array_entry(parameters, "inputs", &inputs);
    for (const std::string& folder : source.folders) bt_value_array_append_string_element(inputs, folder.c_str());
    const bt_component_source* component = nullptr;
    if (bt_graph_add_source_component(graph, source_, source.folders.front().c_str(), parameters, BT_LOGGING_LEVEL_NONE,
                                      &component) != BT_GRAPH_ADD_COMPONENT_STATUS_OK)
      return false;
    const std::uint64_t ports = bt_component_source_get_output_port_count(component);
    for (std::uint64_t i = 0; i < ports; ++i) {
      const std::uint64_t free = bt_component_filter_get_input_port_count(muxer) - 1;
      if (bt_graph_connect_ports(graph, bt_component_source_borrow_output_port_by_index_const(component, i),
                                 bt_component_filter_borrow_input_port_by_index_const(muxer, free),
                                 nullptr) != BT_GRAPH_CONNECT_PORTS_STATUS_OK)
        return false;
    }
    return true;
  }

  Plugin ctf_, utils_;
  const bt_component_class_source* source_ = nullptr;
  const bt_component_class_filter* muxer_ = nullptr;
};

}  // namespace

bool can_read_foreign() {
  return true;
}

bool any_foreign_readable(const std::vector<std::string>& folders) {
  const GraphBuilder builder;
  return builder.has_plugins() && std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
           return group_of(builder.source(), folder).has_value();
         });
}

std::vector<trace::TraceBreak> read_foreign(const std::vector<std::string>& folders, const ForeignSink& sink) {
  std::vector<trace::TraceBreak> breaks;
  const GraphBuilder builder;
  if (!builder.has_plugins()) return {{"libbabeltrace2", 0, "its plug-ins ctf and utils are not installed"}};
  std::vector<Source> sources;
  std::map<std::string, std::size_t> source_of_group;
  for (const std::string& folder : folders) {
    const auto group = group_of(builder.source(), folder);
    if (!group) {
      breaks.push_back({folder, 0, "its metadata is not CTF 1.8, or not all of it is there"});
      continue;
    }
    const auto known = group->empty() ? source_of_group.end() : source_of_group.find(*group);
    if (known != source_of_group.end()) {
      sources[known->second].folders.push_back(folder);
      continue;
    }
    if (!group->empty()) source_of_group[*group] = sources.size();
    sources.push_back({{folder}});
  }
  Reading reading(sink);
  const Graph graph = builder.build(sources, reading, breaks);
  if (graph && bt_graph_run(const_cast<bt_graph*>(graph.get())) != BT_GRAPH_RUN_STATUS_OK)
    breaks.push_back({sources.front().folders.front(), 0, take_error()});
  return breaks;
}

}  // namespace maxlat::trace_tools
