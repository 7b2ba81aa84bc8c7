package io.github.vertxrdma.provider;

import java.util.Objects;
import java.util.Set;

/**
 * What a device can do. Found by asking, by looking at its op tables and by a self-test at open, never by its name.
 * The layers above choose a strategy from it once, when a connection opens.
 *
 * @param operations what can be posted
 * @param orders which orders between operations of one endpoint are promised
 * @param immediateBits size of an immediate; 0 where there is none
 * @param immediateConsumesReceive whether a write with immediate eats a posted receive at the target
 * @param deliveryComplete whether {@link PostFlags#DELIVERY_COMPLETE} is honoured, or every write completes that late
 * @param sendCompletion what the completion of a send proves
 * @param noReceive what happens to a send when the target has no receive posted
 * @param keyMode who chooses remote keys
 * @param addressBase what remote addresses count from
 * @param progress whether a peer's one-sided operations need this process to poll
 * @param peerFailureEvents whether the death of a connected peer is reported without an operation of ours
 * @param waiting how a completion queue is waited for
 * @param sharedReceive whether endpoints of one completion queue can share a receive queue
 * @param sharedReceiveOnly whether they must (RDM)
 * @param messagePrefix bytes at the start of every sent and received message that belong to the provider
 * @param reservedReceives receives of a shared queue to post beyond those granted to peers; the provider's own messages use them
 * @param pinned whether registration pins memory, so the memlock limit applies
 * @param connecting how two ends find each other; at least one way
 * @param processorAtomics whether atomics are executed by a processor of the host where the memory lies, with instructions that exclude
 *   its owner's {@code VarHandle}s on the same words, and those of other such fabrics; false for adapters, which do not
 * @param maps whether memory of peers can be looked at in place, {@link RemoteMemory#mapped}
 * @param kernelSocket whether data and completions pass through sockets of the operating system, as Vert.x's own TCP channels do; false
 *   for adapters and shared memory
 * @param receivesInPlace whether receives may be posted without memory, {@link ReceiveQueue#post}: their messages are read where the
 *   fabric has them, {@link CompletionBatch#memory}
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
  boolean receivesInPlace) {

  /** Orders a fabric may promise between operations of one endpoint. */
  public enum Order {
    /** Messages arrive in the order they were sent. */
    SEND_AFTER_SEND,
    /** When a message arrives, the data of writes posted before it is in the target's memory. */
    SEND_AFTER_WRITE,
    /** Writes take effect in the order they were posted. */
    WRITE_AFTER_WRITE
  }

  /** Facts that a successful completion of a send proves about its message and about all messages before it. */
  public enum SendCompletion {
    /**
     * The memory of the send may be used again. The message may still be on its way, for instance in a socket of this host, and may be
     * lost if this process ends: iWARP (RFC 5040, section 5.5), FI_INJECT_COMPLETE and FI_TRANSMIT_COMPLETE of fi_cq(3).
     */
    LOCAL,
    /**
     * The adapter of the peer has acknowledged the message, which reaches the peer even if this process ends: reliable connections of
     * InfiniBand and RoCE (InfiniBand Architecture Specification, volume 1, section 9.7.5), and scalable reliable datagrams of EFA.
     */
    REMOTE,
    /**
     * The message is in memory that the peer has mapped and that outlives this process. Posts may honour {@link PostFlags#UNLESS_DONE},
     * and endpoints may offer that memory for messages to be written there, {@link Endpoint#claim}.
     */
    SHARED_MEMORY
  }

  /** The fate of a send when no receive is posted at the target. */
  public enum NoReceive {
    /** The provider keeps it until one is. */
    BUFFERS,
    /** The sender's device retries (RNR). */
    WAITS,
    /** The connection breaks (iWARP). */
    DISCONNECTS
  }

  /** Origin of remote keys; fi_mr(3) FI_MR_PROV_KEY, FI_MR_RAW. */
  public enum KeyMode { PROVIDER, REQUESTED, RAW }

  /** The base that remote addresses count from; fi_mr(3) FI_MR_VIRT_ADDR. {@link MemoryRegion#remoteAddress()} hides it. */
  public enum AddressBase {
    VIRTUAL, OFFSET
  }

  /** Progress of one-sided operations of peers; fi_domain(3). */
  public enum Progress {
    /** The device makes it. */
    AUTOMATIC,
    /** A poll makes it. A thread that waits for the queue wakes up when a poll is needed. */
    ANNOUNCED,
    /** A poll makes it. A poll may be needed although a thread that waits for the queue does not wake up. */
    MANUAL
  }

  /** The way in which two ends find each other. */
  public enum Connecting {
    /** One listens at an address, {@link Domain#listen}; the other connects to it, {@link Domain#createEndpoint}. */
    LISTENER,
    /** Each gets the address of the other by means of the layers above and connects to it, {@link Domain#createExchangedEndpoint}. */
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

  /** True with fetch-add and compare-swap, both. */
  public boolean atomics() {
    return can(Operation.FETCH_ADD) && can(Operation.COMPARE_SWAP);
  }

  /** A builder that starts from these. */
  public CapabilitiesBuilder toBuilder() {
    return new CapabilitiesBuilder(this);
  }

  /** A builder that starts from send, receive, write and read over ordered, silent, polled queues: add what there is. */
  public static CapabilitiesBuilder builder() {
    return new CapabilitiesBuilder(new Capabilities(
      Set.of(Operation.SEND, Operation.RECEIVE, Operation.WRITE, Operation.READ), Set.of(Order.SEND_AFTER_SEND), 0, false, false,
      SendCompletion.LOCAL, NoReceive.BUFFERS, KeyMode.REQUESTED, AddressBase.OFFSET, Progress.MANUAL, false, Waiting.NONE, false, false, 0,
      0, false, Set.of(Connecting.LISTENER), false, false, false, false));
  }
}
