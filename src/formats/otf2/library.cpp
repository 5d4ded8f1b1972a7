#include "otf2/library.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>

#include "bytes/descriptors.hpp"
#include "otf2/anchor.hpp"

namespace clc::otf2 {

namespace {

std::string complaint;

extern "C" OTF2_ErrorCode keep_complaint(void* /*user*/, const char* /*file*/, std::uint64_t /*line*/,
                                         const char* /*function*/, OTF2_ErrorCode code, const char* format,
                                         va_list values) try {
  const bool warning = code < OTF2_SUCCESS;
  if (warning || !complaint.empty()) return code;
  char text[300] = {};
  if (format != nullptr) static_cast<void>(std::vsnprintf(text, sizeof text, format, values));
  complaint = OTF2_Error_GetDescription(code);
  if (text[0] != '\0') complaint.append(": ").append(text);
  for (char& letter : complaint)
    if (letter == '\n') letter = ' ';
  return code;
} catch (const std::bad_alloc&) {  // no exception may pass through libotf2
  return code;
}

std::string words(const std::string& name, std::string_view what, OTF2_ErrorCode result, std::string_view remedy) {
  std::string why = take_complaint();
  if (why.empty() && result != OTF2_SUCCESS) why = OTF2_Error_GetDescription(result);
  const bool few_descriptors = why.starts_with(OTF2_Error_GetDescription(OTF2_ERROR_EMFILE));
  while (why.ends_with('.') || why.ends_with('!') || why.ends_with(' ')) why.pop_back();
  std::string text = name + ": cannot ";
  text += what;
  if (result == cut_off)
    text += " (its file was cut off there, or is damaged)";
  else if (!why.empty())
    text += " (libotf2: " + why + ')';
  text += few_descriptors ? formats::descriptor_remedy(EMFILE) : "; " + std::string(remedy);
  return text;
}

}  // namespace

std::string take_complaint() { return std::exchange(complaint, {}); }

void keep_complaints() { static_cast<void>(OTF2_Error_RegisterCallback(keep_complaint, nullptr)); }

void check_input(OTF2_ErrorCode result, const std::string& name, std::string_view what) {
  if (result != OTF2_SUCCESS) fail_input(name, what, result);
}

void check_read(OTF2_ErrorCode result, const std::string& name, std::string_view what) {
  if (result != OTF2_SUCCESS || !complaint.empty()) fail_input(name, what, result);
}

void fail_input(const std::string& name, std::string_view what, OTF2_ErrorCode result) {
  throw InputError(words(name, what, result, damaged));
}

void fail_without_keep_going(const InputError& error) {
  const std::string text = error.what();
  if (text.ends_with(formats::descriptor_remedy(EMFILE))) throw InputError(text);
  throw InputError(text + "; SourceOptions::keep_going reads all that is intact");
}

void check_output(OTF2_ErrorCode result, const std::string& name, std::string_view what) {
  // A failed write to a file is complained about, but not returned.
  if (result != OTF2_SUCCESS || !complaint.empty()) fail_output(name, what, result);
}

void fail_output(const std::string& name, std::string_view what, OTF2_ErrorCode result) {
  throw OutputError(words(name, what, result, "check room and permissions"));
}

ReaderHandle open_reader(const std::string& anchor) {
  keep_complaints();
  static_cast<void>(take_complaint());
  check_properties(anchor);
  ReaderHandle reader(OTF2_Reader_Open(anchor.c_str()));
  if (!reader && complaint.find("version") != std::string::npos)
    throw InputError(words(anchor, "open the archive", OTF2_SUCCESS, "build this program with a newer libotf2"));
  if (!reader) fail_input(anchor, "open the archive");
  check_input(OTF2_Reader_SetSerialCollectiveCallbacks(reader.get()), anchor, "open the archive");
  return reader;
}

Layout layout_of(OTF2_Reader* reader, const std::string& anchor) {
  Layout layout;
  check_input(OTF2_Reader_GetChunkSize(reader, &layout.event_chunk, &layout.definition_chunk), anchor,
              "read the sizes of its chunks");
  check_input(OTF2_Reader_GetCompression(reader, &layout.compression), anchor, "read its compression");
  return layout;
}

std::vector<Property> properties_of(OTF2_Reader* reader, const std::string& anchor) {
  std::uint32_t count = 0;
  char** names = nullptr;
  check_input(OTF2_Reader_GetPropertyNames(reader, &count, &names), anchor, "read its properties");
  const std::unique_ptr<char*, decltype(&std::free)> owner(names, &std::free);
  std::vector<Property> all;
  for (std::uint32_t i = 0; i < count; ++i) {
    char* value = nullptr;
    check_input(OTF2_Reader_GetProperty(reader, names[i], &value), anchor, "read its properties");
    const std::unique_ptr<char, decltype(&std::free)> value_owner(value, &std::free);
    all.push_back({names[i], value});
  }
  return all;
}

}  // namespace clc::otf2
