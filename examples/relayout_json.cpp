// Sorts the array of a JSON document, walks it, lays it out in its new order, and walks it again.
#include <abut/relayout.hpp>

#include <cjson/cJSON.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

// What belongs to a node, and what else leads to nodes.
using JsonLinks = abut::links<abut::owns<&cJSON::child, &cJSON::next>, abut::refers<&cJSON::prev>>;

static double sum(const cJSON *node) {
  double total = 0;
  for (; node != nullptr; node = node->next) total += node->valuedouble + sum(node->child);
  return total;
}

// The same document as a program would hold it that does without linked nodes: one that is written again for it.
struct Field {
  std::string name;
  double number;
};
using Record = std::vector<Field>;

static std::vector<Record> rewritten(const cJSON *document) {
  std::vector<Record> records;
  for (const cJSON *record = document->child; record != nullptr; record = record->next) {
    Record &fields = records.emplace_back();
    for (const cJSON *field = record->child; field != nullptr; field = field->next)
      fields.push_back({field->string, field->valuedouble});
  }
  return records;
}
static double sum(const std::vector<Record> &records) {
  double total = 0;
  for (const Record &record : records)
    for (const Field &field : record) total += field.number;
  return total;
}

template <typename Action>
static double milliseconds(Action action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

int main(int count, char **arguments) {
  const int records = count > 1 ? std::atoi(arguments[1]) : 100'000;
  cJSON *document = cJSON_CreateArray();
  std::vector<cJSON *> order;
  for (int i = 0; i < records; ++i) {
    cJSON *record = cJSON_CreateObject();
    const auto key = static_cast<std::uint32_t>(i) * 2654435761u;
    cJSON_AddNumberToObject(record, "key", key);
    cJSON_AddNumberToObject(record, "price", i % 1000);
    cJSON_AddBoolToObject(record, "paid", i % 2);
    order.push_back(record);
  }
  std::sort(order.begin(), order.end(), [](const cJSON *one, const cJSON *other) {
    return one->child->valuedouble < other->child->valuedouble;
  });
  for (cJSON *record : order) cJSON_AddItemToArray(document, record);

  double before = 0;
  double after = 0;
  double parsed = 0;
  double in_vectors = 0;
  const double walk = milliseconds([&] { before = sum(document); });
  const double cost = milliseconds([&] { abut::relayout<JsonLinks>(document); });
  const double walk_then = milliseconds([&] { after = sum(document); });
  cJSON *copy = nullptr;
  const double rewrite = milliseconds([&] {
    char *text = cJSON_PrintUnformatted(document);
    copy = cJSON_Parse(text);
    cJSON_free(text);
  });
  const double walk_copy = milliseconds([&] { parsed = sum(copy); });
  std::vector<Record> vectors;
  const double to_vectors = milliseconds([&] { vectors = rewritten(document); });
  const double walk_vectors = milliseconds([&] { in_vectors = sum(vectors); });
  std::cout << "a walk takes " << walk << " ms, laid out " << walk_then << " ms; relayout takes "
            << cost << " ms\nwritten and parsed again " << walk_copy << " ms, which takes "
            << rewrite << " ms\nin std::vector " << walk_vectors << " ms, into which copying takes "
            << to_vectors << " ms\n";
  cJSON_Delete(document);
  cJSON_Delete(copy);
  return before == after && before == parsed && before == in_vectors ? 0 : 1;
}
