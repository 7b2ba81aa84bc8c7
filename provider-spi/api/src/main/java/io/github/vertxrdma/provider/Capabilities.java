package io.github.vertxrdma.provider;

import java.util.Objects;
import java.util.Set;

/**
 * Capabilities of a device, found by queries and a self-test.
 *
 * @param immediateBits size of an immediate value in bits; 0 if unsupported
 * @param deliveryComplete whether the device supports {@link PostFlags#DELIVERY_COMPLETE}
 * @param peerFailureEvents whether the device reports a peer's death while this side posts nothing
 * @param sharedReceiveOnly whether endpoints of one completion queue must share a receive queue (RDM)
 * @param messagePrefix bytes at the start of each message that the provider overwrites
 * @param reservedReceives receives to add to a shared queue for the provider's own messages
 * @param pinned whether registration pins memory, so that the memlock limit applies
 * @param processorAtomics whether a CPU executes remote atomics. They are then atomic with {@code VarHandle}s and with other such fabrics
 * @param maps whether a peer's memory is mapped into this process
 * @param kernelSocket whether kernel sockets carry the data
 * @param receivesInPlace whether receives can be posted without memory; see {@link CompletionBatch#memory}
 * @param singleEndpoint whether a domain has one endpoint and one event loop, because memory is bound to the endpoint (fi_mr(3)
 * FI_MR_ENDPOINT)
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

  public enum Order {
    SEND_AFTER_SEND,
    /** When a message arrives, the data of writes posted before it are in the target's memory. */
    SEND_AFTER_WRITE,
    WRITE_AFTER_WRITE
  }

  /** State of a message, and of all earlier ones, when its send completes. */
  public enum SendCompletion {
    /**
     * The send's memory can be reused. The message may be lost if this process ends: iWARP (RFC 5040, section 5.5), FI_TRANSMIT_COMPLETE of
     * fi_cq(3).
     */
    LOCAL,
    /**
     * The peer's adapter has acknowledged the message: InfiniBand and RoCE (InfiniBand Architecture Specification, volume 1, section
     * 9.7.5), EFA.
     */
    REMOTE,
    /** The message is in memory that the peer has mapped and that outlives this process. */
    SHARED_MEMORY
  }

  /** Behaviour of a send while the target has no receive posted. */
  public enum NoReceive {
    /** The provider keeps the send until a receive is posted. */
    BUFFERS,
    /** The sender's device retries (RNR: receiver not ready). */
    WAITS,
    /** The connection fails (iWARP). */
    DISCONNECTS
  }

  /** Source of remote keys: the provider or the caller; fi_mr(3) FI_MR_PROV_KEY. */
  public enum KeyMode {
    PROVIDER, REQUESTED
  }

  /** Meaning of remote addresses: virtual addresses of the owner, or offsets in the region; fi_mr(3) FI_MR_VIRT_ADDR. */
  public enum AddressBase {
    VIRTUAL, OFFSET
  }

  /** Executor of peers' one-sided operations on this side's memory; fi_domain(3), data progress. */
  public enum Progress {
    /** The device, without a poll. */
    AUTOMATIC,
    /** A poll by this side. The operation wakes a sleeping polling thread. */
    ANNOUNCED,
    /** A poll by this side. The operation does not always wake a sleeping polling thread. */
    MANUAL
  }

  public enum Connecting {
    /** A listener at one end, to which the other end connects. */
    LISTENER,
    /** Without a listener, by {@link Domain#createExchangedEndpoint}. */
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
      throw new IllegalArgumentException("sharedReceiveOnly requires sharedReceive");
    }
    if (connecting.isEmpty()) {
      throw new IllegalArgumentException("cannot create capabilities: connecting is empty");
    }
    if (processorAtomics && !(operations.contains(Operation.FETCH_ADD) && operations.contains(Operation.COMPARE_SWAP))) {
      throw new IllegalArgumentException("processorAtomics requires atomics");
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

  public boolean atomics() {
    return can(Operation.FETCH_ADD) && can(Operation.COMPARE_SWAP);
  }

  public CapabilitiesBuilder toBuilder() {
    return new CapabilitiesBuilder(this);
  }

  /** Returns a builder for a device with send, receive, write, read and ordered sends. */
  public static CapabilitiesBuilder builder() {
    return new CapabilitiesBuilder(new Capabilities(
      Set.of(Operation.SEND, Operation.RECEIVE, Operation.WRITE, Operation.READ), Set.of(Order.SEND_AFTER_SEND), 0, false, false,
      SendCompletion.LOCAL, NoReceive.BUFFERS, KeyMode.REQUESTED, AddressBase.OFFSET, Progress.MANUAL, false, Waiting.NONE, false, false, 0,
      0, false, Set.of(Connecting.LISTENER), false, false, false, false, false));
  }
}
