package io.github.vertxrdma.provider;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.Callable;

/**
 * A device opened once per process: a protection domain, fi_domain(3). Thread-safe; its objects are confined to one thread if they say so.
 */
public interface Domain extends AutoCloseable {

  Device device();

  Capabilities capabilities();

  Limits limits();

  /**
   * Allocates memory that the device accesses best. Zeroed, aligned to 4,096 bytes, freed with the arena. May block.
   *
   * @param access all uses that it will be registered for
   * @param arena a shared arena
   * @throws ProviderException {@code LIMIT} if the device has no more such memory
   */
  default MemorySegment allocate(long bytes, Set<Access> access, Arena arena) {
    return arena.allocate(bytes, 4096);
  }

  /**
   * Disconnects memory of {@link #allocate} from processes that failed to unmap it, by replacing its pages. Address and content stay. Has
   * no effect while an open region lets peers map it. May block for a copy.
   *
   * @param movable whether its pages may be replaced: no device has them pinned
   * @return false if a process still maps it and it is not movable
   * @throws ProviderException {@code LIMIT} if this process gets no memory for it
   */
  default boolean reclaim(MemorySegment memory, boolean movable) {
    return true;
  }

  /**
   * Registers memory. May block for large regions.
   *
   * @param memory off-heap; the caller keeps it alive until the region is closed
   * @throws ProviderException {@code LIMIT} with size, device, errno and the memlock limit; {@code INVALID} for heap segments
   */
  MemoryRegion register(MemorySegment memory, Set<Access> access);

  /**
   * Returns the memory that a peer described by its {@link MemoryRegion}. Does not block. If the owner must be asked, the first operation
   * does that, and fails with {@link Status#REMOTE_ACCESS} if the owner refuses.
   *
   * @throws ProviderException {@code INVALID} if the key cannot be one of this fabric
   */
  RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key);

  /**
   * Returns why the device carries nothing at the moment, as the end of a sentence; otherwise empty. Operations in flight may continue
   * afterwards. Thread-safe.
   */
  default String outage() {
    return "";
  }

  /** Returns whether the device has failed. Close the domain, and open the device again. Thread-safe. */
  default boolean isLost() {
    return false;
  }

  /** Creates a completion queue for one thread, with at most the requested entries. */
  CompletionQueue createCompletionQueue(int depth);

  /** @throws ProviderException {@code UNSUPPORTED} without {@link Capabilities#sharedReceive()} */
  ReceiveQueue createSharedReceiveQueue(CompletionQueue queue, int depth);

  /**
   * Listens. The handler is called during {@link CompletionQueue#poll}. With {@link Capabilities#sharedReceiveOnly()} the options carry the
   * shared receive queue, with receives posted.
   *
   * @param local address; port 0 for any, null for the device's default
   * @throws ProviderException such as {@code ADDRESS_IN_USE}, {@code UNREACHABLE}, or {@code UNSUPPORTED} without {@link
   * Capabilities.Connecting#LISTENER}
   */
  Listener listen(CompletionQueue queue, EndpointAddress local, EndpointOptions options, ListenHandler handler);

  /**
   * Returns the part of a {@link #listen} that may block, or null. It is called on any thread, and returns the address with which {@code
   * listen} does not block.
   */
  default Callable<EndpointAddress> listenPreparation(CompletionQueue queue, EndpointAddress local) {
    return null;
  }

  /**
   * Returns the part of creating an endpoint that may block, or null: some adapters need milliseconds for a queue pair. The result is
   * called on any thread. The next endpoint of this kind on the queue uses what it made.
   *
   * @param how {@code EXCHANGE} for {@link #createExchangedEndpoint}, otherwise {@code LISTENER}
   */
  default Callable<?> endpointPreparation(CompletionQueue queue, EndpointOptions options, Capabilities.Connecting how) {
    return null;
  }

  Endpoint createEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler);

  /**
   * Creates an endpoint without a listener. The layers above exchange both {@linkplain Endpoint#localAddress local addresses}, and each end
   * {@linkplain Endpoint#connect connects} to the other's, without private data. The first waits for the second until its connect timeout,
   * then ends with {@code TIMEOUT}. Only a failing post shows the end of the other side.
   *
   * @throws ProviderException {@code UNSUPPORTED} without {@link Capabilities.Connecting#EXCHANGE}
   */
  default Endpoint createExchangedEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    throw new ProviderException(ProviderException.Reason.UNSUPPORTED, device().name()
      + " connects to listeners only: its endpoints cannot be connected by exchanging their addresses");
  }

  /** @throws ProviderException {@code INVALID} beyond {@link Limits#privateData()} */
  default void checkPrivateData(byte[] data) {
    if (data.length > limits().privateData()) {
      throw new ProviderException(ProviderException.Reason.INVALID, device().name() + ": " + data.length
        + " bytes of private data are too many, at most " + limits().privateData() + " fit: send the rest in the first message");
    }
  }

  /** Closes the open endpoints, queues and regions, then the device. Idempotent. */
  @Override
  void close();
}
