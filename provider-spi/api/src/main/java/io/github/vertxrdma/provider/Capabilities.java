package io.github.vertxrdma.provider;

import java.util.Objects;
import java.util.Set;

/**
 * Capabilities of a device. They are found by queries, by its function tables and by a self-test when it is opened, never by its name. The
 * layers above choose a strategy from them once, when a connection opens.
 *
 * @param operations operations that can be posted
 * @param orders promised orders between operations of one endpoint
 * @param immediateBits size of an immediate; 0 if there is none
 * @param immediateConsumesReceive whether a write with immediate consumes a posted receive at the target
 * @param deliveryComplete whether {@link PostFlags#DELIVERY_COMPLETE} is supported, or every write completes that late
 * @param sendCompletion what the completion of a send proves
 * @param noReceive what happens to a send if the target has no receive posted
 * @param keyMode origin of remote keys
 * @param addressBase base of remote addresses
 * @param progress whether one-sided operations of a peer need this process to poll
 * @param peerFailureEvents whether the death of a connected peer is reported without an operation of this side
 * @param waiting how the owner of a completion queue can wait for it
 * @param sharedReceive whether endpoints of one completion queue can share a receive queue
 * @param sharedReceiveOnly whether they must (RDM)
 * @param messagePrefix bytes at the start of every sent and received message that belong to the provider
 * @param reservedReceives receives of a shared queue to post beyond those granted to peers; the provider's own messages use them
 * @param pinned whether registration pins memory, so the memlock limit applies
 * @param connecting how two ends find each other; at least one way
 * @param processorAtomics whether a processor of the host with the memory executes atomics, with instructions that are atomic also for its
 * owner's {@code VarHandle}s on the same words, and for other such fabrics; false for adapters
 * @param maps whether memory of peers can be read in place, {@link RemoteMemory#mapped}
 * @param kernelSocket whether data and completions pass through sockets of the operating system, as with Vert.x's own TCP channels; false
 * for adapters and shared memory
 * @param receivesInPlace whether receives may be posted without memory, {@link ReceiveQueue#post}: their messages are read in the fabric's
 * memory, {@link CompletionBatch#memory}
 * @param singleEndpoint whether registered memory belongs to one connectionless endpoint, so a domain has only one: one event loop uses the
 * device; fi_mr(3) FI_MR_ENDPOINT
 */
public record Capabilities(
  Set<Operation> operations,
  Set<Order> orders,
  int immediateBits,
  boolean immediateConsumesReceive,
  boolean deliveryComplete,
  SendCompletion sendCompletion,
  NoReceive noReceive,
  KeyMode keyMode,
  AddressBase addressBase,
  Progress progress,
  boolean peerFailureEvents,
  Waiting waiting,
  boolean sharedReceive,
  boolean sharedReceiveOnly,
  int messagePrefix,
  int reservedReceives,
  boolean pinned,
  Set<Connecting> connecting,
  boolean processorAtomics,
  boolean maps,
  boolean kernelSocket,
  boolean receivesInPlace,
  boolean singleEndpoint) {

  /** Orders that a fabric may promise between operations of one endpoint. */
  public enum Order {
    /** Messages arrive in the order in which they were sent. */
    SEND_AFTER_SEND,
    /** When a message arrives, the data of writes posted before it is in the target's memory. */
    SEND_AFTER_WRITE,
    /** Writes take effect in the order in which they were posted. */
    WRITE_AFTER_WRITE
  }

  /** Facts that a successful completion of a send proves about its message and about all messages before it. */
  public enum SendCompletion {
    /**
     * The memory of the send may be used again. The message may still be in flight, for instance in a socket of this host, and may be lost
     * if this process ends: iWARP (RFC 5040, section 5.5), FI_INJECT_COMPLETE and FI_TRANSMIT_COMPLETE of fi_cq(3).
     */
    LOCAL,
    /**
     * The adapter of the peer has acknowledged the message, which reaches the peer even if this process ends: reliable connections of
     * InfiniBand and RoCE (InfiniBand Architecture Specification, volume 1, section 9.7.5), and scalable reliable datagrams of EFA.
     */
    REMOTE,
    /**
     * The message is in memory that the peer has mapped and that outlives this process. Posts may support {@link PostFlags#UNLESS_DONE},
     * and endpoints may offer that memory for writing messages in place, {@link Endpoint#claim}.
     */
    SHARED_MEMORY
  }

  /** Fate of a send when no receive is posted at the target. */
  public enum NoReceive {
    /** The provider keeps it until one is posted. */
    BUFFERS,
    /** The sender's device retries (RNR). */
    WAITS,
    /** The connection fails (iWARP). */
    DISCONNECTS
  }

  /** Origin of remote keys; fi_mr(3) FI_MR_PROV_KEY, FI_MR_RAW. */
  public enum KeyMode { PROVIDER, REQUESTED, RAW }

  /** Base of remote addresses; fi_mr(3) FI_MR_VIRT_ADDR. {@link MemoryRegion#remoteAddress()} hides it. */
  public enum AddressBase {
    VIRTUAL, OFFSET
  }

  /** Progress of one-sided operations of peers; fi_domain(3). */
  public enum Progress {
    /** The device makes progress. */
    AUTOMATIC,
    /** A poll makes progress. A thread that waits for the queue wakes up when a poll is needed. */
    ANNOUNCED,
    /** A poll makes progress. A poll may be needed although a thread that waits for the queue does not wake up. */
    MANUAL
  }

  /** Way in which two ends find each other. */
  public enum Connecting {
    /** By a listener: one end listens at an address, {@link Domain#listen}; the other connects to it, {@link Domain#createEndpoint}. */
    LISTENER,
    /** Each end gets the address of the other by means of the layers above and connects to it, {@link Domain#createExchangedEndpoint}. */
    EXCHANGE
  }

  public Capabilities {
    operations = Set.copyOf(operations);
    orders = Set.copyOf(orders);
    connecting = Set.copyOf(connecting);
    Objects.requireNonNull(sendCompletion);
    Objects.requireNonNull(noReceive);
    Objects.requireNonNull(keyMode);
    Objects.requireNonNull(addressBase);
    Objects.requireNonNull(progress);
    Objects.requireNonNull(waiting);
    if (sharedReceiveOnly && !sharedReceive) {
      throw new IllegalArgumentException("sharedReceiveOnly without sharedReceive");
    }
    if (connecting.isEmpty()) {
      throw new IllegalArgumentException("no way to connect");
    }
    if (processorAtomics && !(operations.contains(Operation.FETCH_ADD) && operations.contains(Operation.COMPARE_SWAP))) {
      throw new IllegalArgumentException("processorAtomics without atomics");
    }
  }

  public boolean can(Operation operation) {
    return operations.contains(operation);
  }

  public boolean promises(Order order) {
    return orders.contains(order);
  }

  public boolean connectsBy(Connecting way) {
    return connecting.contains(way);
  }

  /** Returns true if both fetch-add and compare-swap are supported. */
  public boolean atomics() {
    return can(Operation.FETCH_ADD) && can(Operation.COMPARE_SWAP);
  }

  /** Returns a builder that starts from these capabilities. */
  public CapabilitiesBuilder toBuilder() {
    return new CapabilitiesBuilder(this);
  }

  /** Returns a builder that starts from send, receive, write and read over ordered, silent, polled queues: add further capabilities. */
  public static CapabilitiesBuilder builder() {
    return new CapabilitiesBuilder(new Capabilities(
      Set.of(Operation.SEND, Operation.RECEIVE, Operation.WRITE, Operation.READ), Set.of(Order.SEND_AFTER_SEND), 0, false, false,
      SendCompletion.LOCAL, NoReceive.BUFFERS, KeyMode.REQUESTED, AddressBase.OFFSET, Progress.MANUAL, false, Waiting.NONE, false, false, 0,
      0, false, Set.of(Connecting.LISTENER), false, false, false, false, false));
  }
}
