package io.github.vertxrdma.provider.verbs;

import java.util.Arrays;

/**
 * Finds the endpoint of a completion. The upper half of a wr_id is the endpoint's tag: an index and a generation. So a late completion of a
 * destroyed queue pair finds no endpoint.
 */
final class Owners {
  /** Bit of a wr_id that is set for receives. The bits below it are the slot number. */
  static final long RECEIVE = 1L << 31;
  static final int SLOT = 0x7fff_ffff;
  private static final int INDEX_BITS = 20;
  private static final int INDEX = (1 << INDEX_BITS) - 1;
  private static final int GENERATIONS = 1 << 11;

  interface Owner {
    int tag();
  }

  private Owner[] owners = new Owner[16];
  private int[] generations = new int[16];
  private int used;

  int add(Owner owner) {
    int index = 0;
    while (index < used && owners[index] != null) {
      index++;
    }
    if (index == INDEX) {
      throw new IllegalStateException("more than " + INDEX + " endpoints on one completion queue");
    }
    if (index == owners.length) {
      owners = Arrays.copyOf(owners, 2 * index);
      generations = Arrays.copyOf(generations, 2 * index);
    }
    used = Math.max(used, index + 1);
    owners[index] = owner;
    generations[index] = (generations[index] + 1) % GENERATIONS;
    return generations[index] << INDEX_BITS | index;
  }

  void remove(int tag) {
    if (owners[tag & INDEX] != null && owners[tag & INDEX].tag() == tag) {
      owners[tag & INDEX] = null;
    }
  }

  Owner find(long workRequestId) {
    int tag = (int) (workRequestId >>> 32);
    int index = tag & INDEX;
    Owner owner = index < used ? owners[index] : null;
    return owner != null && generations[index] == tag >>> INDEX_BITS ? owner : null;
  }
}
