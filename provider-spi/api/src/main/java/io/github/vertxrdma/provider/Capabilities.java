package io.github.vertxrdma.provider;

import java.util.Objects;
import java.util.Set;

/**
 * Capabilities of a device, found by queries and a self-test, never by its name.
 *
 * @param immediateBits 0 without immediates
 * @param immediateConsumesReceive whether a write with immediate consumes a posted receive
 * @param deliveryComplete whether {@link PostFlags#DELIVERY_COMPLETE} is supported, or every write completes that late
 * @param peerFailureEvents whether a connected peer's death is reported without an operation of this side
 * @param sharedReceive whether endpoints of one completion queue can share a receive queue
 * @param sharedReceiveOnly whether they must (RDM)
 * @param messagePrefix bytes at the start of every message that belong to the provider
 * @param reservedReceives receives of a shared queue to post for the provider's own messages
 * @param pinned whether registration pins memory, so that the memlock limit applies
 * @param processorAtomics whether a processor executes atomics on the owner's memory, atomic also for {@code VarHandle}s of the owner and
 * for other such fabrics
 * @param kernelSocket whether data pass through sockets of the kernel
 * @param receivesInPlace whether receives may be posted without memory
 * @param singleEndpoint whether memory is registered with the domain's only endpoint, so that one event loop uses the device; fi_mr(3)
 * FI_MR_ENDPOINT
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
    /** When a message arrives, the data of earlier writes are in the target's memory. */
    SEND_AFTER_WRITE,
    WRITE_AFTER_WRITE
  }

  /** Proof that a successful completion of a send gives for its message and all earlier ones. */
  public enum SendCompletion {
    /**
     * The send's memory may be used again. The message may be lost if this process ends: iWARP (RFC 5040, section 5.5),
     * FI_TRANSMIT_COMPLETE of fi_cq(3).
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

  /** Fate of a send when no receive is posted at the target. */
  public enum NoReceive {
    /** The provider keeps the send until a receive is posted. */
    BUFFERS,
    /** The sender's device retries (RNR). */
    WAITS,
    /** The connection fails (iWARP). */
    DISCONNECTS
  }

  /** Origin of remote keys; fi_mr(3). */
  public enum KeyMode { PROVIDER, REQUESTED, RAW }

  /** Base of remote addresses; fi_mr(3) FI_MR_VIRT_ADDR. */
  public enum AddressBase {
    VIRTUAL, OFFSET
  }

  /** Progress of one-sided operations of peers. */
  public enum Progress {
    /** The device makes progress. */
    AUTOMATIC,
    /** A poll makes progress. A waiting thread wakes up if one is needed. */
    ANNOUNCED,
    /** A poll makes progress. A waiting thread may not wake up. */
    MANUAL
  }

  public enum Connecting {
    /** A listener at one end, to which the other connects. */
    LISTENER,
    /** Each end gets the other's address from the layers above. */
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

  public boolean atomics() {
    return can(Operation.FETCH_ADD) && can(Operation.COMPARE_SWAP);
  }

  public CapabilitiesBuilder toBuilder() {
    return new CapabilitiesBuilder(this);
  }

  /** Returns a builder that starts from send, receive, write and read over ordered, polled queues. */
  public static CapabilitiesBuilder builder() {
    return new CapabilitiesBuilder(new Capabilities(
      Set.of(Operation.SEND, Operation.RECEIVE, Operation.WRITE, Operation.READ), Set.of(Order.SEND_AFTER_SEND), 0, false, false,
      SendCompletion.LOCAL, NoReceive.BUFFERS, KeyMode.REQUESTED, AddressBase.OFFSET, Progress.MANUAL, false, Waiting.NONE, false, false, 0,
      0, false, Set.of(Connecting.LISTENER), false, false, false, false, false));
  }
}
