/* A heap of cells in lines in pages, for C: nodes of one size, near each other as the program says, and laid out again at one
 * go. After Adcock, Improving cache performance by runtime data movement (2009), chapters 4 and 5; the C++ headers of this
 * folder have the rest. Link with the library abut_cells. A heap is for one thread at a time. */
#ifndef ABUT_MOVE_CELLS_H
#define ABUT_MOVE_CELLS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct abut_cells abut_cells;

/* The links of a node: pointers at these offsets, in bytes, each null or to a node of the same heap that no other link leads
 * to. `moved`, which may be null, is called for each node after it was moved; what it points at by then is valid. */
#define ABUT_CELLS_MOST_LINKS 8
typedef struct abut_cells_links {
  size_t count;
  size_t offsets[ABUT_CELLS_MOST_LINKS];
  void (*moved)(void *user, void *from, void *to);
  void *user;
} abut_cells_links;

/* A heap for nodes of so many bytes, at most 256. NULL with errno EINVAL or ENOMEM. */
abut_cells *abut_cells_new(size_t node_bytes);

/* The heap with all its nodes; NULL is nothing. */
void abut_cells_delete(abut_cells *cells);

/* A node, not set to anything, aligned to 16 bytes: in the line of `near` (a node of the heap, or NULL) if there is room,
 * else in the line that has most. NULL with errno ENOMEM. */
void *abut_cells_allocate(abut_cells *cells, const void *near);

/* A node of the heap, which is free then. */
void abut_cells_free(abut_cells *cells, void *node);

/* How many nodes there are, and bytes of memory for them. */
size_t abut_cells_nodes(const abut_cells *cells);
size_t abut_cells_bytes(const abut_cells *cells);

/* Not more than so many cells for 100 nodes, if lines that are not empty do, too (m; 0: no bound). */
void abut_cells_bound(abut_cells *cells, unsigned percent);

/* Moves all nodes that are reached from the roots into fresh pages: lists end to end, trees in clusters of a line, clusters in
 * pages. Roots and links are mended; all other pointers to nodes are invalid then. How many nodes moved; (size_t)-1 with errno
 * EINVAL or ENOMEM, where the structure is whole and in part where it was. */
size_t abut_cells_relayout(abut_cells *cells, void **roots, size_t count,
                           const abut_cells_links *links);

#ifdef __cplusplus
}
#endif
#endif
