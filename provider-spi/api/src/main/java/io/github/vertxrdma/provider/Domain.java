package io.github.vertxrdma.provider;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * A device opened once per process (protection domain, fi_domain(3)): registered memory and completion queues belong to it.
 * Its methods may be called from any thread; what it makes is confined to one thread where it says so.
 */
public interface Domain extends AutoCloseable {

  Device device();

  /** Capabilities that the self-test at open found; can be fewer than {@link Device#capabilities()}. */
  Capabilities capabilities();

  Limits limits();

  /**
   * Memory where this device reaches it best: files that peers map, huge pages, a NUMA node. Zeroed, at a multiple of 4,096 bytes, freed
   * with the arena. It is to be registered, here and with other domains too. May block: call it off the event loop.
   *
   * @param bytes more than 0
   * @param access all that it will be registered for
   * @param arena a shared one
   * @throws ProviderException {@code LIMIT} where the device keeps such memory and there is no more of it
   * @throws OutOfMemoryError if the process gets none
   */
  default MemorySegment allocate(long bytes, Set<Access> access, Arena arena) {
    return arena.allocate(bytes, 4096);
  }

  /**
   * Takes memory of {@link #allocate} back from processes that still have it mapped, since they stood still or hung when they should have
   * let go: what they do to it from here on is seen by nobody else, and they do not see what this process does. Address and content stay,
   * the pages become others. Nothing happens while an open region of this domain lets peers map it. May block for a copy of all: call it
   * off the event loop.
   *
   * @param movable whether its pages may become others: no device has them pinned
   * @return false if a process still maps it and it is not movable
   * @throws ProviderException {@code LIMIT} if this process gets no memory for it
   */
  default boolean reclaim(MemorySegment memory, boolean movable) {
    return true;
  }

  /**
   * Registers memory. May block for large regions: call it off the event loop.
   *
   * @param memory off-heap, alive until the region is closed; the caller keeps it alive
   * @throws ProviderException {@code LIMIT} with size, device, errno and the memlock limit; {@code INVALID} for heap segments
   */
  MemoryRegion register(MemorySegment memory, Set<Access> access);

  /**
   * Memory of a peer, as its {@link MemoryRegion} described it. Returns at once: where the owner must be asked first, the first operation
   * with it does so, and waits for the answer in the order of its endpoint; it fails with {@link Status#REMOTE_ACCESS} if the owner
   * refuses.
   *
   * @param remoteAddress {@link MemoryRegion#remoteAddress()} of the owner
   * @param length bytes that may be used from there
   * @param key {@link MemoryRegion#remoteKey()} of the owner
   * @throws ProviderException {@code INVALID} if the key cannot be one of this fabric
   */
  RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key);

  /**
   * The reason why the device carries nothing at the moment, such as a port that is down, in words that go on a sentence; empty while it
   * carries, and where nothing tells. What is under way waits, and goes on if that ends before the device gives it up. Any thread.
   */
  default String outage() {
    return "";
  }

  /** A completion queue for one thread; entries as asked or fewer ({@link CompletionQueue#capacity()}). */
  CompletionQueue createCompletionQueue(int depth);

  /**
   * A receive queue that endpoints of one completion queue share.
   *
   * @throws ProviderException {@code UNSUPPORTED} without {@link Capabilities#sharedReceive()}
   */
  ReceiveQueue createSharedReceiveQueue(CompletionQueue queue, int depth);

  /**
   * Listens. Connection requests come to the handler from within {@link CompletionQueue#poll}. With
   * {@link Capabilities#sharedReceiveOnly()} the options carry the shared receive queue, and receives should be posted on it first.
   *
   * @param local where; port 0 for any, null for the device's default address
   * @throws ProviderException {@code ADDRESS_IN_USE}, {@code UNREACHABLE} (no such local address), {@code UNSUPPORTED} or {@code MISSING}
   *   without {@link Capabilities.Connecting#LISTENER}, …
   */
  Listener listen(CompletionQueue queue, EndpointAddress local, EndpointOptions options, ListenHandler handler);

  /** An endpoint that is to {@link Endpoint#connect}. */
  Endpoint createEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler);

  /**
   * An endpoint that knows nobody yet. Its {@link Endpoint#localAddress()} goes to the peer by other means, good for one connection; then
   * both sides {@link Endpoint#connect} to what they got from the other, without private data. There is no listener, and no order: the one
   * that connects first waits for the other until its connect timeout, then ends with {@code TIMEOUT}. Both hear connected; what is sent
   * then finds the peer ready. Nothing tells one side of the other's end, {@link Endpoint#disconnect} and {@link Endpoint#close} neither,
   * whatever {@link Capabilities#peerFailureEvents()} says: a post that fails does.
   *
   * @throws ProviderException {@code UNSUPPORTED} without {@link Capabilities.Connecting#EXCHANGE}
   */
  default Endpoint createExchangedEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    throw new ProviderException(ProviderException.Reason.UNSUPPORTED, device().name()
      + " connects to listeners only: its endpoints cannot be connected by exchanging their addresses");
  }

  /**
   * Checks what goes with a connect, an accept or a reject.
   *
   * @throws ProviderException {@code INVALID} if it is longer than {@link Limits#privateData()}
   */
  default void checkPrivateData(byte[] data) {
    if (data.length > limits().privateData()) {
      throw new ProviderException(ProviderException.Reason.INVALID, device().name() + ": " + data.length
        + " bytes of private data are too many, at most " + limits().privateData() + " fit: send the rest in the first message");
    }
  }

  /** Closes what is left open in the right order (endpoints, queues, regions), then the device. Idempotent. */
  @Override
  void close();
}
