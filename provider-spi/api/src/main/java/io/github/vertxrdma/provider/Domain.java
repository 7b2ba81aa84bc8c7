package io.github.vertxrdma.provider;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;

/** An open device: a protection domain, fi_domain(3). Thread-safe. */
public interface Domain extends AutoCloseable {

  Device device();

  Capabilities capabilities();

  Limits limits();

  /**
   * Allocates memory that the device accesses fastest: zeroed, aligned to 4,096 bytes, freed with the arena. May block.
   *
   * @param access all rights with which the memory will be registered
   * @param arena a shared arena
   * @throws ProviderException {@code LIMIT} if the device has no more such memory
   */
  default MemorySegment allocate(long bytes, Set<Access> access, Arena arena) {
    return arena.allocate(bytes, 4096);
  }

  /**
   * Replaces the pages of memory from {@link #allocate} if another process still maps them. Address and content stay. Has no effect while
   * an open region lets peers map the memory. May block.
   *
   * @param movable whether pages may be replaced: no device has pinned them
   * @return false if pages must stay, but another process maps them
   * @throws ProviderException {@code LIMIT} if there are no new pages
   */
  default boolean reclaim(MemorySegment memory, boolean movable) {
    return true;
  }

  /**
   * Registers memory. Large memory may block for long.
   *
   * @param memory off-heap. The caller keeps it alive until the region is closed
   * @throws ProviderException {@code LIMIT} with size, device, errno and the memlock limit; {@code INVALID} for heap segments
   */
  MemoryRegion register(MemorySegment memory, Set<Access> access);

  /**
   * Returns a peer's memory, from the address and key of its {@link MemoryRegion}. Does not block. On some fabrics the first operation asks
   * the owner, and fails with {@link Status#REMOTE_ACCESS} if the owner refuses.
   *
   * @throws ProviderException {@code INVALID} if this fabric's keys have another length
   */
  RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key);

  /** Returns why the device transfers nothing now, as the end of a sentence; empty if it works. Operations in flight may continue later. */
  default String outage() {
    return "";
  }

  /** Returns whether the device has failed for good. Close the domain and open the device again. */
  default boolean isLost() {
    return false;
  }

  /** Creates a completion queue for one thread, with at most the requested entries. */
  CompletionQueue createCompletionQueue(int depth);

  /** @throws ProviderException {@code UNSUPPORTED} without {@link Capabilities#sharedReceive()} */
  ReceiveQueue createSharedReceiveQueue(CompletionQueue queue, int depth);

  /**
   * Listens for connection requests. {@link CompletionQueue#poll} calls the handler. With {@link Capabilities#sharedReceiveOnly()} the
   * options must have a shared receive queue with posted receives.
   *
   * @param local address; port 0 for any free port, null for the device's default
   * @throws ProviderException such as {@code ADDRESS_IN_USE}, {@code UNREACHABLE}, or {@code UNSUPPORTED} without {@link
   * Capabilities.Connecting#LISTENER}
   */
  Listener listen(CompletionQueue queue, EndpointAddress local, EndpointOptions options, ListenHandler handler);

  /**
   * Returns a task for any thread that does the blocking part of {@link #listen}, and returns the address to pass to it; null if nothing
   * blocks.
   */
  default Callable<EndpointAddress> listenPreparation(CompletionQueue queue, EndpointAddress local) {
    return null;
  }

  /**
   * Returns a task for any thread that does the blocking part of creating an endpoint; null if nothing blocks. The queue's next endpoint
   * with the same {@code how} uses the result.
   *
   * @param how {@code EXCHANGE} for {@link #createExchangedEndpoint}
   */
  default Callable<?> endpointPreparation(CompletionQueue queue, EndpointOptions options, Capabilities.Connecting how) {
    return null;
  }

  /**
   * Returns files, such as sockets, that peers need and other processes may remove. The caller watches them, and calls {@link
   * #restoreFiles} when one is missing.
   */
  default List<Path> files() {
    return List.of();
  }

  /** Restores missing {@link #files}. May block. @return false if a file could not be restored */
  default boolean restoreFiles() {
    return true;
  }

  /** Returns what {@link Endpoint#channelBinding} is expected to return after a connect to a listener. */
  default byte[] channelBinding(EndpointAddress listener) {
    return new byte[0];
  }

  Endpoint createEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler);

  /**
   * Creates an endpoint that connects without a listener. The caller exchanges
   * {@linkplain Endpoint#localAddress local addresses} with the peer. Each end {@linkplain Endpoint#connect connects} to the address of its
   * peer, without private data. The first end waits for the second until its connect timeout. Only a failing post shows that the peer has
   * ended.
   *
   * @throws ProviderException {@code UNSUPPORTED} without {@link Capabilities.Connecting#EXCHANGE}
   */
  default Endpoint createExchangedEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    throw new ProviderException(ProviderException.Reason.UNSUPPORTED, device().name()
      + " can only connect to listeners: its endpoints cannot be connected by exchanging their addresses");
  }

  default void checkPrivateData(byte[] data) {
    if (data.length > limits().privateData()) {
      throw new ProviderException(ProviderException.Reason.INVALID, device().name() + ": " + data.length
        + " bytes of private data are too many: at most " + limits().privateData() + " fit. Send the rest in the first message");
    }
  }

  /** Closes the open endpoints, queues and regions, then the device. Idempotent. */
  @Override
  void close();
}
