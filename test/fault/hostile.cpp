// Traces that are made to cost more than others of their size:   clc-test-hostile WHAT N [FOLDER]
//
// WHAT is a line of the tables at the end. Traces go to standard output, OTF2 archives to the folder.
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

namespace {

using Number = std::uint64_t;

std::string& out() {
  static std::string text;
  return text;
}

void line(const std::string& text) {
  out() += text;
  out() += '\n';
}

std::string str(Number number) { return std::to_string(number); }

/// The head of a text trace of the processes 0 to count - 1.
void head(Number count) {
  line("%clc-trace 1\n%resolution 1000000000");
  for (Number i = 0; i < count; ++i) line("%process " + str(i) + " p" + str(i));
}

/// The same, and a communicator of them all.
void head_with_group(Number count) {
  head(count);
  std::string members;
  for (Number i = 0; i < count; ++i) members += ' ' + str(i);
  line("%group 0" + members);
}

Number inverse(Number odd) {
  Number x = odd;
  for (int i = 0; i < 6; ++i) x *= 2 - odd * x;
  return x;
}

// ---- keys that clash --------------------------------------------------------------------------
// With multiplication by constants and without a key, as these programs once hashed.

constexpr Number golden = 0x9e3779b97f4a7c15U;

/// Multiplied by the golden ratio, the low 32 bits of both halves are the same.
Number golden_key(Number i) { return (i << 32U | i) * inverse(golden); }

void messages_with_tags(Number n, Number (*tag)(Number)) {
  head(2);
  line("%group 0 0 1");
  for (Number i = 0; i < n; ++i) line(str(i) + " 0 S 1 0 " + str(tag(i + 1) & 0x7fff'ffff'ffff'ffffU) + " 8");
}

void tags(Number n) {
  messages_with_tags(n, [](Number i) { return (golden_key(i) - 1) * inverse(0xd6e8feb86659fd93U); });
}

/// Multiples of a prime, of which std::unordered_map makes its number of buckets.
void tags_by_prime(Number n) {
  messages_with_tags(n, [](Number i) {
    const Number hash = i * 20753 * 42043;
    Number x = hash ^ hash >> 29U ^ hash >> 58U;
    x ^= golden;
    return x * inverse(0xc2b2ae3d27d4eb4fU);
  });
}

void processes_with_numbers(Number n, Number (*number)(Number)) {
  line("%clc-trace 1\n%resolution 1000000000");
  for (Number i = 0; i < n; ++i) line("%process " + str(number(i)) + " p");
  for (Number i = 0; i < n; ++i) line(str(i) + ' ' + str(number(i)) + " I x");
}

void process_numbers(Number n) {
  processes_with_numbers(n, [](Number i) { return ((i + 1) << 44U) * inverse(golden); });
}

void process_numbers_by_prime(Number n) {
  processes_with_numbers(n, [](Number i) { return (i + 1) * 20753 * 42043; });
}

/// As honest programs number them.
void process_numbers_far_apart(Number n) {
  processes_with_numbers(n, [](Number i) { return i << 40U; });
}

constexpr std::string_view paje_head =
    "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineLinkType 1\n% Alias string\n% Type string\n% StartContainerType string\n"
    "% EndContainerType string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 2\n% Time date\n% Alias string\n% Type string\n% Container string\n"
    "% Name string\n%EndEventDef\n"
    "%EventDef PajeDestroyContainer 3\n% Time date\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeStartLink 4\n% Time date\n% Type string\n% Container string\n% StartContainer string\n"
    "% Value string\n% Key string\n%EndEventDef\n"
    "%EventDef PajeEndLink 5\n% Time date\n% Type string\n% Container string\n% EndContainer string\n"
    "% Value string\n% Key string\n%EndEventDef\n"
    "0 G 0 Machine\n0 P G Process\n1 L 0 P P Message\n"
    "2 0 m G 0 m\n";

/// Names that mean the same number.
void paje_names(Number n) {
  out() += paje_head;
  for (const char* const mark : {"", "p", "0", "p0", "00"})
    for (Number i = 0; i < n; ++i) line("2 0 " + (mark + str(i)) + " P m x");
}

/// A container is destroyed after all processes in it, again and again.
void paje_parents(Number n) {
  out() += paje_head;
  for (Number i = 0; i < n; ++i) line("2 0 p" + str(i) + " P m x\n3 0 P p" + str(i));
  for (Number i = 0; i < n; ++i) line("3 0 G m");
}

/// As often created again.
void paje_parents_again(Number n) {
  out() += paje_head;
  for (Number i = 0; i < n; ++i) line("2 0 p" + str(i) + " P m x\n3 0 P p" + str(i));
  for (Number i = 0; i < n; ++i) line("3 0 G m\n2 0 m G 0 m");
}

/// Containers in each other around very many processes.
void paje_levels(Number n) {
  out() += paje_head;
  std::string outer = "m";
  for (Number i = 0; i < n; ++i) {
    const std::string inner = 'g' + str(i);
    line("2 0 " + inner + " G " + outer + " g");
    outer = inner;
  }
  for (Number i = 0; i < n; ++i) line("2 0 p" + str(i) + " P g" + str(n - 1) + " x\n3 0 P p" + str(i));
  for (Number i = n; i-- > 0;) line("3 0 G g" + str(i));
}

// ---- time that stands still -------------------------------------------------------------------

/// Records of one process, all of one time.
void still(Number n) {
  head(1);
  for (Number i = 0; i < n; ++i) line("5 0 I x");
}

/// Records that all lie within a sort window of 10 ms.
void unsorted(Number n) {
  head(2);
  for (Number i = 0; i < n; ++i) line(str((n + i) ^ 1U) + ' ' + str(i & 1U) + " I x");
}

/// A clock that is set back at every other record, all within a sort window of 10 ms.
void set_back(Number n) {
  head(1);
  for (Number i = 0; i < n; ++i) line(str((n + i) ^ 1U) + " 0 I x");
}

constexpr Number many = 50'000;

/// A group of many processes.
void head_of_many() {
  head(many);
  std::string group = "%group 0";
  for (Number i = 0; i < many; ++i) group += ' ' + str(i);
  line(group);
}

/// One member of many ends n operations at one time.
void still_operations(Number n) {
  head_of_many();
  for (Number i = 0; i < n; ++i) line("5 0 B\n5 0 X barrier 0 - 0 0");
}

// ---- collective operations that are not complete ----------------------------------------------

/// One member of many ends n operations, whose waits end one after the other.
void one_member(Number n, const std::string& operation) {
  head_of_many();
  const std::string process = ' ' + str(many - 1);
  for (Number i = 0; i < n; ++i)
    line(str(i * 1'000'000'000) + process + " B\n" + str(i * 1'000'000'000 + 5) + process + " X " + operation);
}

void one_member_of_all(Number n) { one_member(n, "barrier 0 - 0 0"); }
void one_member_of_prefix(Number n) { one_member(n, "scan 0 - 8 8"); }

/// All processes but two end early.
void early_ends(Number n) {
  head_of_many();
  line("1 0 B\n1 0 X barrier 0 - 0 0");
  const auto both = [](Number time, const std::string& record) {
    for (const Number i : {many - 1, many - 2}) line(str(time) + ' ' + str(i) + ' ' + record);
  };
  for (Number i = 0; i < n; ++i) {
    both(20'000'000'000 + 10 * i, "B");
    both(20'000'000'005 + 10 * i, "X barrier 0 - 0 0");
  }
}

/// Processes that had ended return one by one, each for one operation in which all others have ended by then.
void returns(Number n) {
  head_of_many();
  line("1 0 B\n1 0 X barrier 0 - 0 0\n20000000000 0 I x");
  for (Number i = 1; i <= n; ++i) line(str(20'000'000'000 + 10 * i) + ' ' + str(many - i) + " I x");
  for (Number i = 1; i <= n; ++i)
    line(str(30'000'000'000 + 10 * i) + ' ' + str(many - i) + " B\n" + str(30'000'000'005 + 10 * i) + ' ' +
         str(many - i) + " X barrier 0 - 0 0");
}

/// Ends of a prefix operation that come after it was given up, from the last rank to the first, while one that was read
/// in time still waits: a receive stands before it.
void late_ends(Number n) {
  head_of_many();
  const auto ends = [](Number time, Number process) {
    line(str(time) + ' ' + str(process) + " B\n" + str(time) + ' ' + str(process) + " X scan 0 - 8 8");
  };
  for (Number i = 0; i < n; ++i) ends(i, i);
  line("5000000000 " + str(many - 1) + " R 0 0 1 8");
  ends(5'000'000'001, many - 1);
  for (Number i = 0; i < n; ++i) ends(10'500'000'000 + i, many - 2 - i);
}

constexpr Number most_overtaken = 65535;

/// Receives in the order from the last message to the first.
void overtaking(Number n) {
  head_with_group(2);
  for (Number i = 0; i < n; ++i) line(str(i) + " 0 S 1 0 0 8");
  for (Number left = n; left-- > 0;)
    line(str(3 * n - left) + " 1 R 0 0 0 8 overtakes=" + str(left < most_overtaken ? left : most_overtaken));
}

/// On each of many channels a receive that overtakes as many others as it can, which never come.
void overtaking_nothing(Number n) {
  head_with_group(2);
  for (Number i = 0; i < n; ++i) line(str(i) + " 1 R 0 0 " + str(i) + " 8 overtakes=" + str(most_overtaken));
}

/// Each process receives twice from another one that sends once, so that the order of all records is asked for each.
void few_sends(Number n) {
  head_with_group(n);
  for (Number i = 0; i < n; ++i) line(str(i) + ' ' + str(i) + " R " + str((i + 1) % n) + " 0 0 8");
  for (Number i = 0; i < n; ++i) line(str(n + i) + ' ' + str(i) + " S " + str((i + n - 1) % n) + " 0 0 8");
  for (Number i = 0; i < n; ++i) line(str(2 * n + i) + ' ' + str(i) + " R " + str((i + 1) % n) + " 0 0 8");
}

/// Pairs of processes that receive all their messages before they send them, and one more.
void circles(Number n) {
  head_with_group(2 * n);
  for (Number k = 0; k < 61; ++k)
    for (Number i = 0; i < 2 * n; ++i)
      line(str(1000 * k + i) + ' ' + str(i) + (k < 31 ? " R " : " S ") + str(i ^ 1U) + " 0 0 8");
}

/// Regular messages among three processes, and after each round one with a tag of its own, ahead of which two others
/// lost their sends: a round trip contradicts each of these channels.
void early_receives(Number n) {
  head_with_group(3);
  const auto end = [](Number time, Number process, const char* role, Number peer, Number tag) {
    line(str(time) + ' ' + str(process) + role + str(peer) + " 0 " + str(tag) + " 8");
  };
  for (Number i = 1; i <= n; ++i) {
    for (Number tag = 1; tag <= 2; ++tag)
      for (Number p = 0; p < 3; ++p) end(1000 * i + 10 * tag + p, p, " S ", (p + tag) % 3, tag);
    for (Number tag = 1; tag <= 2; ++tag)
      for (Number p = 0; p < 3; ++p) end(1000 * i + 100 + 10 * tag + p, p, " R ", (p + 3 - tag) % 3, tag);
    for (const Number early : {200U, 201U}) end(1000 * i + early, 1, " R ", 0, 2 + i);
    end(1000 * i + 700, 0, " S ", 1, 2 + i);
    end(1000 * i + 800, 1, " R ", 0, 2 + i);
  }
}

/// A process changes its node before each operation of which only one of many members is seen.
void nodes_between(Number n) {
  head_of_many();
  for (Number i = 0; i < n; ++i) {
    line(i % 2 == 0 ? "%process 7 p node=a" : "%process 7 p node=b");
    line(str(i) + " 0 B\n" + str(i) + " 0 X barrier 0 - 0 0");
  }
}

/// A small communicator gets other members before each such operation of a large one.
void groups_between(Number n) {
  head_of_many();
  for (Number i = 0; i < n; ++i)
    line("%group 1 " + str(i % 2) + '\n' + str(i) + " 0 B\n" + str(i) + " 0 X barrier 0 - 0 0");
}

// ---- definitions ------------------------------------------------------------------------------

/// Communicators that no record uses.
void groups(Number n) {
  head(2);
  for (Number i = 0; i < n; ++i) line("%group " + str(i) + " 0 1");
  line("0 0 I x");
}

/// Communicators with one operation each, that only one member ends.
void groups_in_use(Number n) {
  head(2);
  for (Number i = 0; i < n; ++i)
    line("%group " + str(i) + " 0 1\n" + str(i) + " 0 B\n" + str(i) + " 0 X barrier " + str(i) + " - 0 0");
}

void processes(Number n) {
  head(n);
  line("0 0 I x");
}

/// Processes with long names on nodes with long names.
void long_names(Number n) {
  line("%clc-trace 1\n%resolution 1000000000");
  const std::string name(150, 'n');
  for (Number i = 0; i < n; ++i) line("%process " + str(i << 20U) + ' ' + name + str(i) + " node=" + name + str(i));
  line("0 0 I x");
}

// ---- what keeps threads busy with each other --------------------------------------------------

/// A process is renamed between any two records.
void definitions_between(Number n) {
  head(2);
  for (Number i = 0; i < n; ++i) line("%process 0 p" + str(i % 2) + '\n' + str(i) + " 1 I x");
}

void put(Number number, int bytes) {
  for (; bytes > 0; --bytes, number >>= 8U) out() += static_cast<char>(number & 0xffU);
}

/// Zstd: each line is a frame of one block that is stored as it is.
void tiny_frames(Number n) {
  head(1);
  for (Number i = 0; i < n; ++i) line(str(i) + " 0 I");
  const std::string text = std::exchange(out(), {});
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    put(0xfd2fb528U, 4);
    put(0x20, 1);  // one segment, its size in a byte
    put(end - at, 1);
    put((end - at) << 3U | 1U, 3);
    out().append(text, at, end - at);
    at = end;
  }
}

// ---- tables -----------------------------------------------------------------------------------

struct Attack {
  std::string_view name;
  void (*write)(Number n);
};

constexpr Attack attacks[] = {
    {"tags", tags},
    {"tags-by-prime", tags_by_prime},
    {"process-numbers", process_numbers},
    {"process-numbers-by-prime", process_numbers_by_prime},
    {"process-numbers-far-apart", process_numbers_far_apart},
    {"paje-names", paje_names},
    {"paje-parents", paje_parents},
    {"paje-parents-again", paje_parents_again},
    {"paje-levels", paje_levels},
    {"still", still},
    {"unsorted", unsorted},
    {"set-back", set_back},
    {"late-ends", late_ends},
    {"overtaking", overtaking},
    {"overtaking-nothing", overtaking_nothing},
    {"few-sends", few_sends},
    {"circles", circles},
    {"early-receives", early_receives},
    {"nodes-between", nodes_between},
    {"groups-between", groups_between},
    {"groups", groups},
    {"groups-in-use", groups_in_use},
    {"processes", processes},
    {"long-names", long_names},
    {"definitions-between", definitions_between},
    {"tiny-frames", tiny_frames},
    {"still-operations", still_operations},
    {"one-member-of-all", one_member_of_all},
    {"one-member-of-prefix", one_member_of_prefix},
    {"early-ends", early_ends},
    {"returns", returns},
};

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 2 ? argv[1] : "";
  for (const Attack& attack : attacks) {
    if (attack.name != what) continue;
    attack.write(std::strtoull(argv[2], nullptr, 10));
    std::cout << out() << std::flush;
    return std::cout ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  std::cerr << "usage: clc-test-hostile WHAT N\n";
  return EXIT_FAILURE;
}
