/* The raw stream: what a recorder inside a traced process hands to the collector, which is another process.
 *
 * SPDX-License-Identifier: MIT. Plain C, because the Valgrind tool, which is under another licence and has no C
 * library, includes it.
 *
 * The recorder connects to the collector's socket, an abstract one of type SOCK_SEQPACKET, and says hello. The answer
 * brings a file descriptor (SCM_RIGHTS) of shared memory: `slots` slots of `slot_words` words. The recorder fills a slot
 * with records, sends a message with the slot's number and how many words are in it, and takes the next one. The
 * collector gives each slot back with a message of its own. When the recorder has none left, it waits.
 */
#ifndef ABUT_RECORD_RAW_STREAM_H
#define ABUT_RECORD_RAW_STREAM_H

typedef unsigned long long abut_raw_word;

enum {
  ABUT_RAW_MAGIC = 0x74756261, /* "abut" */
  ABUT_RAW_VERSION = 3,
  ABUT_RAW_SLOTS = 4,
  ABUT_RAW_SLOT_WORDS = 1 << 16,
  /* A block of code and a record must fit in what is left when a slot counts as full. */
  ABUT_RAW_SLACK_WORDS = 1 << 12,
  ABUT_RAW_MOST_WORDS = 1 << 11
};

/* ---- messages ---- */

struct abut_raw_hello {
  unsigned magic;
  unsigned version;
  int pid;
  /* Of a process that was forked off a recorded one: that one's session, and the number of the fork; else 0. */
  unsigned parent_session;
  unsigned fork_number;
};

struct abut_raw_welcome {
  unsigned accepted; /* 0: this process is not to be recorded */
  unsigned session;
  unsigned slots;
  unsigned slot_words;
};

enum abut_raw_message_kind {
  /* from the recorder */
  ABUT_RAW_FILLED = 1, /* slot, words */
  ABUT_RAW_ENDED = 2,  /* words: the exit code */
  ABUT_RAW_EXEC = 3,   /* the program is about to be replaced by another one */
  /* from the collector */
  ABUT_RAW_FREED = 16, /* a slot can be filled again */
  ABUT_RAW_STOP = 17   /* record no more */
};

struct abut_raw_message {
  unsigned kind;
  unsigned slot;
  abut_raw_word words;
};

/* ---- records ----
 * A record is a word of head and `count` words. Two kinds of head:
 *   accesses   block << 16 | count         the words are the addresses that the first `count` accesses of a block of
 *                                          code used, each with its source << 56; 0 stands for one that
 *                                          did not take place
 *   event      1 << 63 | kind << 56 | small << 16 | count
 */
#define ABUT_RAW_EVENT_BIT (1ull << 63)
#define ABUT_RAW_SMALL_BITS 40

static inline abut_raw_word abut_raw_event(unsigned kind, abut_raw_word small_value,
                                           unsigned count) {
  return ABUT_RAW_EVENT_BIT | (abut_raw_word)kind << 56 |
         (small_value & ((1ull << ABUT_RAW_SMALL_BITS) - 1)) << 16 | count;
}
static inline unsigned abut_raw_count(abut_raw_word head) { return head & 0xffff; }
static inline unsigned abut_raw_block(abut_raw_word head) { return (unsigned)(head >> 16); }
static inline unsigned abut_raw_kind(abut_raw_word head) { return (head >> 56) & 0x7f; }
static inline abut_raw_word abut_raw_small(abut_raw_word head) {
  return (head >> 16) & ((1ull << ABUT_RAW_SMALL_BITS) - 1);
}

/* The source of an access is the load that its address comes from; of a write, what it writes: 1 + how many words before
 * it that stands, at most 254; 1: in none of those; 0: that is not known. */
enum { ABUT_RAW_ADDRESS_BITS = 56, ABUT_RAW_MOST_SOURCE = 255 };

/* Times are readings of the processor's time stamp counter. "s:" is the head's small value. */
enum abut_raw_event_kind {
  ABUT_RAW_ENTER = 1, /* the running thread enters the allocator */
  ABUT_RAW_LEAVE,     /* and leaves it */
  ABUT_RAW_ALLOCATE,  /* s: alignment asked for, or 0; time, address, size, context */
  ABUT_RAW_FREE,      /* time, address, address of the caller; at the begin of the call */
  ABUT_RAW_RESIZE,    /* time, address; at the begin of the call */
  ABUT_RAW_RESIZED,   /* s: 1 where the block stays as it was; time, new address, size, context */
  ABUT_RAW_THREAD,    /* s: number of the thread that runs from here on */
  ABUT_RAW_STACK, /* s: number of a thread; lowest address of its stack, the one above the highest */
  ABUT_RAW_BLOCK, /* s: number of accesses; block, then a word for each: address of the code << 8 | traits */
  ABUT_RAW_CONTEXT, /* context, addresses of the chain, innermost first; each lies inside its call instruction */
  ABUT_RAW_MODULE, /* s: length of the path; address, bytes, offset in the file, path in whole words */
  ABUT_RAW_UNMAP,     /* address, bytes: nothing that was there is there any more */
  ABUT_RAW_KERNEL,    /* s: 1 for a write; address, bytes */
  ABUT_RAW_NEAR,      /* time, address of a block, address of the block that it should be near to */
  ABUT_RAW_TOUCH,     /* time, address, weight */
  ABUT_RAW_RECORDING, /* s: 1 where accesses are recorded from here on, 0 where no more; time */
  ABUT_RAW_USABLE,    /* address of a block, bytes of it that the program learned it may use */
  ABUT_RAW_PROGRAM, /* s: length; the path and the arguments, each ended by a zero byte, in whole words */
  ABUT_RAW_FORK,    /* s: number of the fork; what follows is not of the child */
  ABUT_RAW_DISCARD, /* time, address, bytes: what is there is forgotten, though it may stay mapped */
  ABUT_RAW_INSTRUCTIONS /* how many ran since the last record of this kind, while accesses were recorded */
};

/* The traits of an access: its size in bytes << 1 | whether it writes. Sizes of 127 and more read 127. */
enum { ABUT_RAW_WRITES = 1, ABUT_RAW_MOST_SIZE = 127 };

#endif
