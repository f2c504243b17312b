// What a program of somebody else's does with the containers, however it found them.
#ifdef ONE_HEADER
#include "abut_containers.hpp"
#else
#include <abut/list.hpp>
#include <abut/map.hpp>
#include <abut/relayout.hpp>
#include <abut/set.hpp>
#include <abut/stable_map.hpp>
#include <abut/stable_set.hpp>
#endif

#include <cstdio>

struct Node {
  Node *next;
  int value;
};

int main() {
  abut::map<int, int> map{{2, 3}, {1, 2}};
  abut::stable_map<int, int> stable(map.begin(), map.end());
  const abut::set<int> set{2, 1};
  const abut::stable_set<int> stable_set(set.begin(), set.end());
  abut::list<int> list{3, 1, 2};
  list.sort();
  abut::node_arena<Node> arena;
  Node *first = arena.make(arena.make(nullptr, 2), 1);
  abut::relayout<abut::links<abut::owns<&Node::next>>>(arena, first);
  std::printf("%d %d %d %d\n", *stable_set.begin(), stable.at(2), list.back(), first->next->value);
}
