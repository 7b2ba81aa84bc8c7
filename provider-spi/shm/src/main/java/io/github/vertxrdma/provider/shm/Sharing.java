package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ProviderException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Means of this process to share memory with others on the host, to meet them and to wake them. Chosen when the device is found. */
interface Sharing {

  /** Words that tell it, in the subnet and in lists of devices, from means whose files it does not understand; empty for those of Linux. */
  String dialect();

  /** Whether peers map regions; otherwise their owner carries operations on them out. */
  boolean mapsRegions();

  /** Whether its completion queues have an fd to wait for; otherwise they call a handler. */
  boolean hasDescriptors();

  /**
   * Makes memory to share, mapped until it is unmapped.
   *
   * @param writable whether peers may write it; it is for one of them then
   * @throws ProviderException {@code LIMIT} with size, reason and remedy if there is no room for it
   */
  SharedFile create(long bytes, boolean writable);

  /**
   * Memory of an arena for regions, zeroed, at a multiple of 4,096 bytes.
   *
   * @param written whether peers may write it
   */
  MemorySegment allocate(long bytes, boolean written, Arena arena);

  /** The sockets of a new completion queue. */
  SocketSet sockets();
}
