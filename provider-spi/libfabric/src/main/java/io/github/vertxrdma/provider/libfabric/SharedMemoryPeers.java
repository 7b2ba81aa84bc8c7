package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.function.ToLongFunction;

/**
 * What the table of a shared-memory endpoint holds; prov/shm's smr_map has {@link #PLACES} places, and takes another's where all are in
 * use. It counts an address again each time it is inserted, so each is inserted once, and stays while its process lives: what a peer sent
 * may be on its way, and its memory is needed for the answer.
 *
 * <p>A place that is given to another peer still says who the last one was. A message to the new one would go by that and end a process;
 * one from it sets the place right. So once every place was given away, only peers that were heard are let in.
 *
 * <p>Thread-safe, since endpoints of one process introduce themselves to each other.
 */
final class SharedMemoryPeers {
  /** SMR_MAX_PEERS of ofi_shm.h, 1.11 to 2.6. */
  static final int PLACES = 256;
  /** For peers that called and were not inserted yet. */
  private static final int SPARE = 16;
  /** From which number on the dead are looked for. */
  private static final int MANY = 32;
  /** The time that a process must have been dead, so that nothing of it is left unread. */
  private static final long DEAD_NANOS = 2_000_000_000;

  private final String device;
  private final ToLongFunction<EndpointAddress> insert;
  private final LongConsumer remove;
  private final Map<EndpointAddress, Entry> entries = new HashMap<>();
  private int given;

  /** An address that was inserted. */
  private static final class Entry {
    final long address;
    int users;
    long deadSince;

    Entry(long address) {
      this.address = address;
    }
  }

  /** @param insert fi_av_insert(3) @param remove fi_av_remove(3) */
  SharedMemoryPeers(String device, ToLongFunction<EndpointAddress> insert, LongConsumer remove) {
    this.device = device;
    this.insert = insert;
    this.remove = remove;
  }

  /**
   * Lets a peer in.
   *
   * @param heard whether a message has come from it
   * @return its fi_addr_t
   * @throws ProviderException {@code LIMIT} if there is no place
   */
  synchronized long enter(EndpointAddress peer, boolean heard) {
    Entry entry = entries.get(peer);
    if (entry == null) {
      if (entries.size() >= MANY) {
        removeDead();
      }
      checkRoom(peer, heard);
      entry = new Entry(insert.applyAsLong(peer));
      entries.put(peer, entry);
      given++;
    }
    entry.users++;
    return entry.address;
  }

  synchronized void leave(EndpointAddress peer) {
    entries.get(peer).users--;
  }

  private void removeDead() {
    long now = System.nanoTime();
    for (Iterator<Map.Entry<EndpointAddress, Entry>> all = entries.entrySet().iterator(); all.hasNext();) {
      Map.Entry<EndpointAddress, Entry> each = all.next();
      Entry entry = each.getValue();
      if (entry.users > 0 || !SharedMemoryNames.isGone(each.getKey())) {
        continue;
      }
      if (entry.deadSince == 0) {
        entry.deadSince = now;
      } else if (now - entry.deadSince > DEAD_NANOS) {
        remove.accept(entry.address);
        all.remove();
      }
    }
  }

  private void checkRoom(EndpointAddress peer, boolean heard) {
    if (entries.size() >= PLACES - SPARE) {
      throw new ProviderException(ProviderException.Reason.LIMIT, device + ": " + peer + " cannot be reached: an endpoint knows at most "
        + PLACES + " peers, and " + entries.size() + " of it are there — use another fabric for some");
    }
    if (!heard && given >= PLACES - SPARE) {
      throw new ProviderException(ProviderException.Reason.LIMIT, device + ": " + peer + " cannot be connected to: " + given
        + " peers have come and gone, and libfabric takes new ones only if they connect — use another fabric, or let it connect");
    }
  }
}
