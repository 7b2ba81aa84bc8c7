package io.github.vertxrdma.provider;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.Callable;

/**
 * Device opened once per process (protection domain, fi_domain(3)), with its registered memory and completion queues. Thread-safe; its
 * objects are confined to one thread if their description says so.
 */
public interface Domain extends AutoCloseable {

  Device device();

  /** Returns the capabilities that the self-test found when it was opened; may be fewer than {@link Device#capabilities()}. */
  Capabilities capabilities();

  Limits limits();

  /**
   * Allocates memory that this device accesses best: files that peers map, huge pages, a NUMA node. Zeroed, aligned to 4,096 bytes, freed
   * with the arena. It is meant for registration, here and with other domains too. May block: call it off the event loop.
   *
   * @param bytes more than 0
   * @param access all uses that it will be registered for
   * @param arena a shared arena
   * @throws ProviderException {@code LIMIT} if the device manages such memory and there is no more of it
   * @throws OutOfMemoryError if the process gets none
   */
  default MemorySegment allocate(long bytes, Set<Access> access, Arena arena) {
    return arena.allocate(bytes, 4096);
  }

  /**
   * Disconnects memory of {@link #allocate} from processes that still have it mapped, because they were stopped or hung when they should
   * have unmapped it. From now on no other process sees what they do to it, and they do not see what this process does. Address and content
   * stay, the pages are replaced. Has no effect while an open region of this domain lets peers map it. May block for a copy of all of it:
   * call it off the event loop.
   *
   * @param movable whether its pages may be replaced: no device has them pinned
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
   * Returns the memory of a peer, as its {@link MemoryRegion} described it. Does not block. If the owner must be asked first, the first
   * operation asks it, and waits for the answer in the order of its endpoint; it fails with {@link Status#REMOTE_ACCESS} if the owner
   * refuses.
   *
   * @param remoteAddress {@link MemoryRegion#remoteAddress()} of the owner
   * @param length number of usable bytes from there
   * @param key {@link MemoryRegion#remoteKey()} of the owner
   * @throws ProviderException {@code INVALID} if the key cannot be one of this fabric
   */
  RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key);

  /**
   * Returns why the device carries nothing at the moment, such as a port that is down, as the end of a sentence; empty while it carries
   * messages, or if that is unknown. Operations in flight wait, and continue if the outage ends before the device gives up. Thread-safe.
   */
  default String outage() {
    return "";
  }

  /**
   * Returns whether the device has failed, so that nothing of this domain carries anything any more. Close it, and {@link Device#open} the
   * device again, which succeeds when the device is back. Thread-safe.
   */
  default boolean isLost() {
    return false;
  }

  /** Creates a completion queue for one thread, with as many entries as requested or fewer ({@link CompletionQueue#capacity()}). */
  CompletionQueue createCompletionQueue(int depth);

  /**
   * Creates a receive queue that endpoints of one completion queue share.
   *
   * @throws ProviderException {@code UNSUPPORTED} without {@link Capabilities#sharedReceive()}
   */
  ReceiveQueue createSharedReceiveQueue(CompletionQueue queue, int depth);

  /**
   * Listens for connections. The handler receives connection requests during {@link CompletionQueue#poll}. With {@link
   * Capabilities#sharedReceiveOnly()} the options carry the shared receive queue, and receives should be posted on it first.
   *
   * @param local address; port 0 for any, null for the device's default address
   * @throws ProviderException {@code ADDRESS_IN_USE}, {@code UNREACHABLE} (no such local address), {@code UNSUPPORTED} or {@code MISSING}
   * without {@link Capabilities.Connecting#LISTENER}, …
   */
  Listener listen(CompletionQueue queue, EndpointAddress local, EndpointOptions options, ListenHandler handler);

  /**
   * Returns the part of a {@link #listen} that may block, such as changes of folders. It is called on any thread, and returns the
   * address with which to call {@code listen}, which then does not block. Without it, {@code listen} does all.
   *
   * @param local as for {@link #listen}
   * @return null if {@code listen} does not block
   */
  default Callable<EndpointAddress> listenPreparation(CompletionQueue queue, EndpointAddress local) {
    return null;
  }

  /**
   * Returns the part of creating an endpoint that may block, such as creating a queue pair, which takes some adapters milliseconds. Called
   * on the thread of the queue; the result is called on any thread. The next endpoint of this kind on the queue then uses what it made.
   * Without it, creating an endpoint does all.
   *
   * @param how {@code LISTENER} for {@link #createEndpoint} and {@link ConnectionRequest#createEndpoint}, {@code EXCHANGE} for {@link
   * #createExchangedEndpoint}, with the same options
   * @return null if nothing blocks
   */
  default Callable<?> endpointPreparation(CompletionQueue queue, EndpointOptions options, Capabilities.Connecting how) {
    return null;
  }

  /** Creates an endpoint to {@link Endpoint#connect}. */
  Endpoint createEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler);

  /**
   * Creates an endpoint without a peer. The layers above send its {@link Endpoint#localAddress()} to the peer by other means, for one
   * connection. Then both sides {@link Endpoint#connect} to the address of the other, without private data. There is no listener, and no
   * order: the side that connects first waits for the other until its connect timeout, then ends with {@code TIMEOUT}. Both sides are
   * notified that they are connected; the peer is then ready for messages. Neither side is notified of the other's end, by {@link
   * Endpoint#disconnect}, {@link Endpoint#close} or otherwise, regardless of {@link Capabilities#peerFailureEvents()}: only a failing post
   * shows it.
   *
   * @throws ProviderException {@code UNSUPPORTED} without {@link Capabilities.Connecting#EXCHANGE}
   */
  default Endpoint createExchangedEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    throw new ProviderException(ProviderException.Reason.UNSUPPORTED, device().name()
      + " connects to listeners only: its endpoints cannot be connected by exchanging their addresses");
  }

  /**
   * Checks the private data of a connect, an accept or a reject.
   *
   * @throws ProviderException {@code INVALID} if it is longer than {@link Limits#privateData()}
   */
  default void checkPrivateData(byte[] data) {
    if (data.length > limits().privateData()) {
      throw new ProviderException(ProviderException.Reason.INVALID, device().name() + ": " + data.length
        + " bytes of private data are too many, at most " + limits().privateData() + " fit: send the rest in the first message");
    }
  }

  /** Closes all open objects in the right order (endpoints, queues, regions), then the device. Idempotent. */
  @Override
  void close();
}
