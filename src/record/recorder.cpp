#include "record/recorder.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "record/failures.hpp"

namespace clc::record {

namespace {

constexpr std::uint64_t world_number = 0;
const char* const flush_region = "clc-record flush";

/// The program may have chosen a locale with another decimal point.
double from_environment(const char* name, double otherwise) noexcept {
  const char* const value = std::getenv(name);
  if (value == nullptr) return otherwise;
  std::from_chars(value, value + std::strlen(value), otherwise);
  return otherwise;
}

/// As it was at the first call, in MPI_Init: the program may change its working directory and its environment.
const std::string& folder() noexcept {
  static const auto* const one = [] {  // outlives all destructors of the program
    const char* const variable = std::getenv("CLC_RECORD_DIR");
    const char* const named = variable != nullptr ? variable : "run.d";
    char* const absolute = ::realpath(named, nullptr);
    auto* const path = new std::string(absolute != nullptr ? absolute : named);
    std::free(absolute);
    return path;
  }();
  return *one;
}

/// Does its trace name all processes of the world? A few do, so that a trace may be lost, and P processes do not write
/// P times P lines.
bool names_all(int rank) noexcept { return rank == 0 || std::has_single_bit(static_cast<unsigned>(rank)); }

void cannot_be_written(const std::string& path, int error) noexcept {
  std::fprintf(stderr, "clc-record: %s: cannot be written: %s\n", path.c_str(), std::strerror(error));
}

void on_termination(int signal) {
  if (!recorder().rescue_at(signal)) return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

Recorder& recorder() noexcept {
  static auto* const one = new Recorder;  // outlives all destructors of the program
  return *one;
}

void Recorder::start() noexcept {
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) return;  // started by MPI_Comm_spawn: the files are those of its parents
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  PMPI_Comm_size(MPI_COMM_WORLD, &size_);
  // The launcher looks whether it is there still: if nothing is recorded from now on, the recorder says why.
  if (rank_ == 0) static_cast<void>(::unlink((folder() + "/.unused").c_str()));
  const char* const stamp = std::getenv("CLC_RECORD_STAMP");
  clock_.start(stamp == nullptr || std::strcmp(stamp, "clock") != 0);
  sync_every_ = from_environment("CLC_RECORD_SYNC_EVERY", 0);
  if (sync_every_ > 0) sync_every_ = std::max(sync_every_, apart);
  if (PMPI_Comm_dup(MPI_COMM_WORLD, &own_) != MPI_SUCCESS) own_ = MPI_COMM_NULL;
  if (!make_buffer() || !open_files()) return;
  define_world();
  look_around();
  static_cast<void>(thread());
  synchronise("before");
  choose_min_delay();
  writer_.flush();
  process_ = ::getpid();
  active_ = true;
  static_cast<void>(::pthread_atfork(nullptr, nullptr, [] { recorder().abandon(); }));
  struct sigaction former {};
  if (::sigaction(SIGTERM, nullptr, &former) == 0 && former.sa_handler == SIG_DFL) std::signal(SIGTERM, on_termination);
}

bool Recorder::make_buffer() noexcept {
  const double mebibytes = std::clamp(from_environment("CLC_RECORD_BUFFER", 32), 0.01, 65536.0);
  capacity_ = static_cast<std::size_t>(mebibytes * 1048576.0) / sizeof(Entry);
  buffer_.reset(new (std::nothrow) Entry[capacity_]());
  const int own = buffer_ == nullptr ? rank_ : size_;
  int first = size_;
  PMPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, own_);
  if (first == size_) return true;
  buffer_.reset();
  if (rank_ == 0)
    std::fprintf(stderr,
                 "clc-record: rank %d: not enough memory for a buffer of %g MiB (--buffer); this program is not "
                 "recorded\n",
                 first, mebibytes);
  return false;
}

/// All processes record, or none. Rank 0 begins: of two programs that run at the same time, one has all files.
bool Recorder::open_files() noexcept {
  const std::string path = folder() + "/rank";
  const std::string own = path + std::to_string(rank_) + ".clcb";
  struct {
    int error;
    int rank;
  } failure{0, rank_}, worst{};
  if (rank_ == 0 && !writer_.open(own.c_str())) failure.error = errno;
  PMPI_Bcast(&failure.error, 1, MPI_INT, 0, own_);
  if (rank_ != 0 && failure.error == 0 && !writer_.open(own.c_str())) failure.error = errno;
  PMPI_Allreduce(&failure, &worst, 1, MPI_2INT, MPI_MAXLOC, own_);
  if (worst.error == 0) return true;
  if (rank_ == 0) {
    const std::string name = path + std::to_string(worst.rank) + ".clcb";
    if (worst.error == EEXIST)
      std::fprintf(stderr,
                   "clc-record: %s: exists already, from another program of this command or an earlier one; this "
                   "program is not recorded\n",
                   name.c_str());
    else
      std::fprintf(stderr, "clc-record: %s: cannot be created: %s\n", name.c_str(), std::strerror(worst.error));
  }
  writer_.discard(own.c_str());
  return false;
}

/// The processes and MPI_COMM_WORLD: all of them in the trace of rank 0, with their nodes; see names_all for the
/// members of MPI_COMM_WORLD. Other traces name the processes that they need.
void Recorder::define_world() noexcept {
  constexpr int longest = MPI_MAX_PROCESSOR_NAME;
  char name[longest] = {};
  int length = 0;
  PMPI_Get_processor_name(name, &length);
  node_ = name;
  std::vector<char> names(static_cast<std::size_t>(size_) * longest);
  PMPI_Allgather(name, longest, MPI_CHAR, names.data(), longest, MPI_CHAR, own_);
  writer_.note("%resolution 1000000000");
  numbering_.ranks.assign(static_cast<std::size_t>(size_), Numbering::undefined);
  for (int rank = 0; rank < size_; ++rank) {
    std::string node = &names[static_cast<std::size_t>(rank) * longest];
    on_node_.push_back(node == node_);
    if (rank_ != 0 && rank != rank_) continue;
    std::replace_if(
        node.begin(), node.end(), [](char c) { return c == ' ' || c == '\t'; }, '_');
    writer_.note("%process " + std::to_string(rank) + " rank" + std::to_string(rank) + " node=" + node);
    numbering_.ranks[static_cast<std::size_t>(rank)] = numbering_.count++;
  }
  char line[256];
  std::snprintf(line, sizeof line, "# clc-record rank %d: stamps by %s, %.6f MHz, relative error q %.2g", rank_,
                clock_.uses_counter() ? "the processor's counter" : "CLOCK_MONOTONIC_RAW",
                clock_.uses_counter() ? clock_.megahertz() : 1000.0, clock_.relative_error());
  writer_.note(line);
  add_communicator(MPI_COMM_WORLD);
  add_communicator(MPI_COMM_SELF);
}

namespace {

constexpr int unknown = -2;
thread_local int own_location = unknown;

/// That of a key, as these are the last that run when a thread ends; again, if one of the program calls MPI later.
void end_of_thread(void* location) {
  own_location = unknown;
  recorder().give_back(static_cast<int>(reinterpret_cast<std::intptr_t>(location)));
}

void at_end_of_thread(int location) noexcept {
  static pthread_key_t key;
  static const bool made = ::pthread_key_create(&key, end_of_thread) == 0;
  // Its number. NOLINTNEXTLINE(performance-no-int-to-ptr)
  if (made) static_cast<void>(::pthread_setspecific(key, reinterpret_cast<void*>(std::intptr_t{location})));
}

}  // namespace

int Recorder::thread() noexcept {
  int& own = own_location;
  if (own != unknown) return own;
  const Guard guard(*this);
  own = locations_.take();
  if (own > 0) at_end_of_thread(own);
  if (own <= static_cast<int>(numbering_.threads.size())) return own;  // known, or none
  flush();  // it may define processes, which take the next indexes
  numbering_.threads.push_back(numbering_.count++);
  const std::string number = std::to_string((static_cast<std::uint64_t>(own) << 32U) | static_cast<unsigned>(rank_));
  const std::string rank = std::to_string(rank_);
  writer_.note("%process " + number + " rank" + rank + ":thread" + std::to_string(own) + " node=" + node_ +
               " clock=" + rank);
  return own;
}

void Recorder::give_back(int location) noexcept {
  if (!active_ || is_other_process()) return;  // the lock may be held for ever in the child of a fork
  const Guard guard(*this);
  locations_.give_back(location);
}

void Recorder::note(const std::string& line) noexcept {
  const Guard guard(*this);
  flush();  // the line takes its place among the records
  writer_.note(line);
}

Place Recorder::put(const Entry& entry) noexcept {
  if (!active_) return nowhere;
  const Place place = written_ + used_;
  buffer_[used_++] = entry;
  // What may be withdrawn is not written at once.
  const std::size_t room = entry.kind == Kind::send || entry.kind == Kind::begin ? 2 : 4;
  if (used_ + room < capacity_) return place;
  Entry region{
      clock_.now(), Kind::enter, {}, entry.location, 0, 0, 0, reinterpret_cast<std::uintptr_t>(flush_region), 0};
  buffer_[used_++] = region;
  flush();
  ++counters_.flushes;
  region.kind = Kind::leave;
  region.stamp = clock_.now();
  buffer_[used_++] = region;
  return place;
}

void Recorder::withdraw(Place place) noexcept {
  const Guard guard(*this);
  if (place < written_ || place - written_ >= used_) return;
  Entry& entry = buffer_[place - written_];
  if (entry.kind == Kind::send) --counters_.sends;
  entry.stamp = 0;
}

void Recorder::flush() noexcept {
  for (std::size_t i = 0; i < used_; ++i) write(buffer_[i]);
  written_ += used_;
  used_ = 0;
  writer_.flush();
}

/// Processes are numbered in the order of their definitions.
std::uint32_t Recorder::index_of(int rank) noexcept {
  std::uint32_t& index = numbering_.ranks[static_cast<std::size_t>(rank)];
  if (index != Numbering::undefined) return index;
  char line[32];
  std::snprintf(line, sizeof line, "%%process %d", rank);
  writer_.note(line);
  return index = numbering_.count++;
}

void Recorder::write(const Entry& entry) noexcept {
  if (entry.stamp == 0) return;
  const bool region = entry.kind == Kind::enter || entry.kind == Kind::leave;
  const bool message = entry.kind == Kind::send || entry.kind == Kind::receive;
  const std::uint32_t peer = message ? index_of(entry.peer) : 0;
  const std::uint32_t process =
      region && entry.location > 0 ? numbering_.threads[entry.location - 1U] : index_of(rank_);
  writer_.record(process, clock_.nanoseconds(entry.stamp));
  auto kind = static_cast<unsigned>(entry.kind);
  switch (entry.kind) {
    case Kind::enter:
    case Kind::leave:
      writer_.byte(kind);
      // Its name, as a number. NOLINTNEXTLINE(performance-no-int-to-ptr)
      writer_.text(reinterpret_cast<const char*>(static_cast<std::uintptr_t>(entry.bytes)));
      return;
    case Kind::send:
    case Kind::receive:
      if (entry.kind == Kind::receive && entry.received > 0) kind |= 32U;
      writer_.byte(kind);
      writer_.number(peer);
      writer_.number(entry.communicator);
      writer_.signed_number(entry.tag);
      writer_.number(entry.bytes);
      if ((kind & 32U) != 0) writer_.number(std::min<std::uint64_t>(entry.received, 65535));
      return;
    case Kind::begin:
      writer_.byte(entry.tag != 0 ? kind | 32U : kind);
      break;
    case Kind::end:
      writer_.byte(entry.tag != 0 ? kind | 32U : kind);
      writer_.byte(static_cast<unsigned>(entry.operation));
      writer_.number(entry.communicator);
      writer_.number(static_cast<std::uint64_t>(entry.peer));
      writer_.number(entry.bytes);
      writer_.number(entry.received);
      break;
    case Kind::other:
      writer_.byte(kind);
      writer_.text("I");
      return;
  }
  if (entry.tag != 0) writer_.signed_number(entry.tag);
}

void Recorder::put_region(Kind kind, const char* name) noexcept {
  const int location = thread();
  if (location == Locations::none) return;
  const Guard guard(*this);
  put({clock_.now(),
       kind,
       {},
       static_cast<std::uint16_t>(location),
       0,
       0,
       0,
       reinterpret_cast<std::uintptr_t>(name),
       0});
}

void Recorder::enter(const char* name) noexcept { put_region(Kind::enter, name); }

void Recorder::leave(const char* name) noexcept { put_region(Kind::leave, name); }

Place Recorder::put_message(Kind kind, const Communicator* known, int peer, int tag, std::uint64_t bytes,
                            std::uint64_t overtakes) noexcept {
  if (known == nullptr || known->outside) {
    ++(known == nullptr ? counters_.unknown : counters_.lost);
    return nowhere;
  }
  if (peer >= static_cast<int>(known->world.size())) return nowhere;  // the call fails
  ++(kind == Kind::send ? counters_.sends : counters_.receives);
  return put(
      {clock_.now(), kind, {}, 0, known->index, known->world[static_cast<std::size_t>(peer)], tag, bytes, overtakes});
}

Place Recorder::send(MPI_Comm comm, int peer, int tag, std::uint64_t bytes) noexcept {
  if (peer < 0 || comm == MPI_COMM_NULL) return nowhere;  // MPI_PROC_NULL, or the call fails
  const Guard guard(*this);
  return put_message(Kind::send, communicators_.find(comm).get(), peer, tag, bytes, 0);
}

Place Recorder::send(const KnownCommunicator& comm, int peer, int tag, std::uint64_t bytes) noexcept {
  if (peer < 0) return nowhere;
  const Guard guard(*this);
  return put_message(Kind::send, comm.get(), peer, tag, bytes, 0);
}

void Recorder::receive(MPI_Comm comm, int peer, int tag, std::uint64_t bytes) noexcept {
  if (peer < 0) return;
  const Guard guard(*this);
  put_message(Kind::receive, communicators_.find(comm).get(), peer, tag, bytes, 0);
}

void Recorder::receive(const KnownCommunicator& comm, int peer, int tag, std::uint64_t bytes,
                       std::uint64_t overtakes) noexcept {
  if (peer < 0) return;
  const Guard guard(*this);
  put_message(Kind::receive, comm.get(), peer, tag, bytes, overtakes);
}

Place Recorder::begin(int call) noexcept {
  const Guard guard(*this);
  return put({clock_.now(), Kind::begin, {}, 0, 0, 0, call, 0, 0});
}

void Recorder::end(const KnownCommunicator& comm, const Collective& ended) noexcept {
  const Guard guard(*this);
  ++counters_.collectives;
  if (ended.number < comm->last_ended) ++counters_.disordered;
  comm->last_ended = std::max(comm->last_ended, ended.number);
  put({clock_.now(), Kind::end, ended.operation, 0, comm->index, ended.root + 1, ended.call, ended.sent,
       ended.received});
}

KnownCommunicator Recorder::for_collective(MPI_Comm comm) noexcept {
  const Guard guard(*this);
  const KnownCommunicator& known = communicators_.find(comm);
  if (known != nullptr && !known->outside) return known;
  ++(known == nullptr ? counters_.unknown : counters_.lost);
  return nullptr;
}

KnownCommunicator Recorder::post(const KnownCommunicator& whole, Collective& posted) noexcept {
  const Guard guard(*this);
  if (whole->most_for_requests() == 0) return whole;
  posted.number = whole->operations++;
  const std::uint64_t place = posted.number % whole->most_for_requests();
  std::vector<KnownCommunicator>& all = whole->for_requests;
  if (place < all.size()) return all[place];
  // Twice as many each time, because each time writes the buffer.
  const std::size_t enough =
      std::min<std::size_t>(std::max<std::size_t>(1, 2 * all.size()), whole->most_for_requests());
  while (all.size() < enough) {
    all.push_back(std::make_shared<Communicator>());
    all.back()->number = whole->number + all.size();
    define(*all.back(), whole->world);
  }
  return all[place];
}

KnownCommunicator Recorder::known(MPI_Comm comm) noexcept {
  const Guard guard(*this);
  return communicators_.find(comm);
}

void Recorder::add_communicator(MPI_Comm comm) noexcept {
  if (comm == MPI_COMM_NULL) return;
  const KnownCommunicator added = described(comm);
  if (added->outside) return;  // those are not recorded, and would not agree on a number
  added->number = comm == MPI_COMM_WORLD ? world_number : agree(comm, added->inter, communicators_.new_number(rank_));
  const Guard guard(*this);
  define(*added, comm == MPI_COMM_WORLD && !names_all(rank_) ? std::vector<int>() : added->members());
  communicators_.add(comm, added);
}

void Recorder::define(Communicator& added, const std::vector<int>& members) noexcept {
  flush();  // the line takes its place among the records
  std::string line = "%group " + std::to_string(added.number);
  for (const int member : members) {
    static_cast<void>(index_of(member));
    line += ' ' + std::to_string(member);
  }
  added.index = communicators_.next_index();
  writer_.note(line);
}

KnownCommunicator Recorder::duplicate(MPI_Comm comm) noexcept {
  const Guard guard(*this);
  const KnownCommunicator& known = communicators_.find(comm);
  if (known == nullptr || known->outside) return nullptr;
  auto made = std::make_shared<Communicator>();
  made->world = known->world;
  made->local = known->local;
  made->inter = known->inter;
  made->number = known->next_duplicate();
  define(*made, made->members());
  return made;
}

void Recorder::add_duplicate(MPI_Comm comm, const KnownCommunicator& made) noexcept {
  const Guard guard(*this);
  communicators_.add(comm, made);
}

void Recorder::forget_communicator(MPI_Comm comm, const KnownCommunicator& freed) noexcept {
  const Guard guard(*this);
  communicators_.forget(comm, freed);
}

void Recorder::stop() noexcept {
  if (!active_) return;
  synchronise("after");
  clock_.refine();
  if (clock_.uses_counter()) {
    char line[200];
    std::snprintf(line, sizeof line, "# clc-record rank %d: over the run %.6f MHz, relative error q %.2g", rank_,
                  clock_.refined_megahertz(), clock_.refined_error());
    note(line);
  }
  char line[300];
  std::snprintf(
      line, sizeof line,
      "# clc-record rank %d: %llu sends, %llu receives, %llu collective operations, %llu flushes; missing: "
      "%llu with processes outside of MPI_COMM_WORLD, %llu on unknown communicators",
      rank_, static_cast<unsigned long long>(counters_.sends), static_cast<unsigned long long>(counters_.receives),
      static_cast<unsigned long long>(counters_.collectives), static_cast<unsigned long long>(counters_.flushes),
      static_cast<unsigned long long>(counters_.lost), static_cast<unsigned long long>(counters_.unknown));
  note(line);
  {
    const Guard guard(*this);
    close();
  }
  summarise();
  if (own_ != MPI_COMM_NULL) PMPI_Comm_free(&own_);
}

HalfTrips Recorder::all_half_trips() noexcept {
  std::vector<double> lengths = round_trips_.of_node;
  lengths.insert(lengths.end(), round_trips_.of_others.begin(), round_trips_.of_others.end());
  const HalfTrips own = half_trips(std::move(lengths));  // those left out are left out of each process
  const auto kept = static_cast<double>(own.kept);
  double sums[] = {own.mean * kept, kept, static_cast<double>(own.count)};
  double shortest = own.count > 0 ? own.shortest : HUGE_VAL;
  double all_sums[3] = {};
  HalfTrips all;
  PMPI_Reduce(&shortest, &all.shortest, 1, MPI_DOUBLE, MPI_MIN, 0, own_);
  PMPI_Reduce(sums, all_sums, 3, MPI_DOUBLE, MPI_SUM, 0, own_);
  PMPI_Reduce(&own.longest, &all.longest, 1, MPI_DOUBLE, MPI_MAX, 0, own_);
  if (all_sums[1] > 0) all.mean = all_sums[0] / all_sums[1];
  all.kept = static_cast<std::size_t>(all_sums[1]);
  all.count = static_cast<std::size_t>(all_sums[2]);
  return all;
}

namespace {

void write_half_trips(std::FILE* file, const HalfTrips& half) noexcept {
  if (half.kept > 0)
    std::fprintf(file,
                 "half round trips: shortest %.3f, mean %.3f, longest %.3f us (%zu samples, %zu beyond twice the "
                 "shortest of their process left out)\n",
                 half.shortest / 1000, half.mean / 1000, half.longest / 1000, half.kept, half.count - half.kept);
  std::fprintf(file, "a reading of the counter takes %.1f ns, of CLOCK_MONOTONIC_RAW %.1f ns\n",
               cost_of_reading(Clock::system_now, Clock::read_counter),
               cost_of_reading(Clock::system_now, Clock::system_now));
}

}  // namespace

/// Which traces could not be written; at rank 0.
std::string Recorder::all_incomplete() noexcept {
  const int own = writer_.error();
  std::vector<int> all(rank_ == 0 ? static_cast<std::size_t>(size_) : 0);
  PMPI_Gather(&own, 1, MPI_INT, all.data(), 1, MPI_INT, 0, own_);
  return incomplete_traces(all);
}

/// Figures of all processes, for the launcher. It takes a summary without text for one that could not be written, and
/// counts the incomplete traces itself.
void Recorder::summarise() noexcept {
  unsigned long long own[] = {counters_.sends, counters_.receives,   counters_.collectives, counters_.flushes,
                              counters_.lost,  counters_.disordered, counters_.unknown};
  unsigned long long all[7] = {};
  double errors[] = {clock_.relative_error(), clock_.refined_error()};
  double largest[2] = {};
  PMPI_Reduce(own, all, 7, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, own_);
  PMPI_Reduce(errors, largest, 2, MPI_DOUBLE, MPI_MAX, 0, own_);
  const HalfTrips half = all_half_trips();
  const std::string incomplete = all_incomplete();
  if (rank_ != 0) return;
  if (!incomplete.empty())
    std::fprintf(stderr, "clc-record: %s: incomplete traces: %s\n", folder().c_str(), incomplete.c_str());
  const std::string path = folder() + "/summary.txt";
  const NoSizeSignal none;
  std::FILE* const file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return cannot_be_written(path, errno);
  if (!incomplete.empty()) std::fprintf(file, "incomplete traces: %s\n", incomplete.c_str());
  std::fprintf(file, "%llu sends, %llu receives, %llu collective operations, %llu flushes of a full buffer\n", all[0],
               all[1], all[2], all[3]);
  if (all[4] > 0)
    std::fprintf(file, "%llu messages and collective operations with processes outside of MPI_COMM_WORLD are missing\n",
                 all[4]);
  if (all[6] > 0)
    std::fprintf(file, "%llu messages and collective operations on communicators that were made unseen are missing\n",
                 all[6]);
  if (all[5] > 0)
    std::fprintf(file,
                 "%llu non-blocking collective operations ended before others of their communicator that were posted "
                 "long before; they may be matched wrongly\n",
                 all[5]);
  std::fprintf(file,
               clock_.uses_counter() ? "stamps by the processor's counter, rates known to %.2g before the program, "
                                       "to %.2g over it\n"
                                     : "stamps by CLOCK_MONOTONIC_RAW\n",
               largest[0], largest[1]);
  write_half_trips(file, half);
  if (std::fclose(file) == 0) return;  // this writes it: the buffer has room for all
  cannot_be_written(path, errno);
  static_cast<void>(::truncate(path.c_str(), 0));
}

bool Recorder::is_other_process() const noexcept { return ::getpid() != process_; }

void Recorder::rescue() noexcept {
  if (is_other_process()) return;  // also of a child that was made without fork(); the lock may be held for ever there
  const Guard guard(*this);
  if (!active_) return;
  close();
  if (writer_.error() != 0)
    std::fprintf(stderr, "clc-record: %s: incomplete trace: rank%d.clcb (%s)\n", folder().c_str(), rank_,
                 std::strerror(writer_.error()));
}

bool Recorder::rescue_at(int signal) noexcept {
  if (is_other_process()) return true;
  signal_ = signal;
  if (lock_.test_and_set(std::memory_order_acquire)) return false;  // whoever holds the lock does the rest
  signal_ = 0;
  close();
  lock_.clear(std::memory_order_release);
  return true;
}

void Recorder::end_by_signal() const noexcept { on_termination(signal_); }

void Recorder::close() noexcept {
  if (!active_) return;
  active_ = false;
  flush();
  writer_.close();
}

}  // namespace clc::record
