/* A heap of cells in lines in pages, for C: nodes of one size, near each other as the program says, and laid out again at one
 * go. After Adcock, Improving cache performance by runtime data movement (2009), chapters 4 and 5; the C++ headers of this
 * folder have the rest. Link with the library adcock_cells. A heap is for one thread at a time. */
#ifndef ADCOCK_MOVE_CELLS_H
#define ADCOCK_MOVE_CELLS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct adcock_cells adcock_cells;

/* The links of a node: pointers at these offsets, in bytes, each null or to a node of the same heap that no other link leads
 * to. `moved`, which may be null, is called for each node after it was moved; what it points at by then is valid. */
#define ADCOCK_CELLS_MOST_LINKS 8
typedef struct adcock_cells_links {
  size_t count;
  size_t offsets[ADCOCK_CELLS_MOST_LINKS];
  void (*moved)(void *user, void *from, void *to);
  void *user;
} adcock_cells_links;

/* A heap for nodes of so many bytes, at most 256. NULL with errno EINVAL or ENOMEM. */
adcock_cells *adcock_cells_new(size_t node_bytes);

/* The heap with all its nodes; NULL is nothing. */
void adcock_cells_delete(adcock_cells *cells);

/* A node, not set to anything, aligned to 16 bytes: in the line of `near` (a node of the heap, or NULL) if there is room,
 * else in the line that has most. NULL with errno ENOMEM. */
void *adcock_cells_allocate(adcock_cells *cells, const void *near);

/* A node of the heap, which is free then. */
void adcock_cells_free(adcock_cells *cells, void *node);

/* How many nodes there are, and bytes of memory for them. */
size_t adcock_cells_nodes(const adcock_cells *cells);
size_t adcock_cells_bytes(const adcock_cells *cells);

/* Not more than so many cells for 100 nodes, if lines that are not empty do, too (m; 0: no bound). */
void adcock_cells_bound(adcock_cells *cells, unsigned percent);

/* Moves all nodes that are reached from the roots into fresh pages: lists end to end, trees in clusters of a line, clusters in
 * pages. Roots and links are mended; all other pointers to nodes are invalid then. How many nodes moved; (size_t)-1 with errno
 * EINVAL or ENOMEM, where the structure is whole and in part where it was. */
size_t adcock_cells_relayout(adcock_cells *cells, void **roots, size_t count,
                             const adcock_cells_links *links);

#ifdef __cplusplus
}
#endif
#endif
