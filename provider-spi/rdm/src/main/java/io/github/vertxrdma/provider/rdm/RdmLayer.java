package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.Operation;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Connections over connectionless endpoints. A completion queue has one {@link RdmEndpoint}, bound to the address of its first listener or
 * endpoint. A message starts with {@link #PREFIX} bytes: the receiver's connection id, a random number that only the two ends know, then
 * type, version, tag and sequence number. The layer's control messages arrive in receives of the shared queue too. docs/protocol.adoc has
 * the bytes, the states and the limits.
 */
public final class RdmLayer {
  public static final int PREFIX = 16;
  /** Minimum size in bytes of a receive. A shorter one may lose a control message of this layer. */
  public static final int MIN_SLOT = ControlMessage.MAX_SIZE;
  public static final int PRIVATE_DATA = 64;
  /** Number of receives for control messages of this layer. */
  public static final int RESERVED_RECEIVES = 16;

  private static final SecureRandom RANDOM = new SecureRandom();

  private RdmLayer() {
  }

  public static Domain over(RdmDomain domain) {
    return over(domain, System::nanoTime, RANDOM);
  }

  /**
   * @param clock nanoseconds, as {@link System#nanoTime()}; called by polling threads
   * @param random creates connection ids, which are secrets; called by polling threads
   */
  public static Domain over(RdmDomain domain, LongSupplier clock, RandomGenerator random) {
    return new ConnectedDomain(domain, clock, random);
  }

  public static Capabilities capabilities(Capabilities raw) {
    EnumSet<Capabilities.Order> orders = EnumSet.of(Capabilities.Order.SEND_AFTER_SEND);
    orders.addAll(raw.orders());
    return raw.toBuilder().remove(Operation.SEND_IMMEDIATE, Operation.WRITE_IMMEDIATE)
      .immediateBits(0)
      .orders(orders)
      .sharedReceive(true)
      .sharedReceiveOnly(true)
      .messagePrefix(PREFIX)
      .reservedReceives(RESERVED_RECEIVES)
      .peerFailureEvents(false)
      .build();
  }

  public static Limits limits(Limits raw) {
    return new Limits(raw.maxMessageSize(), raw.maxTransferSize(), raw.inlineSize(), Math.max(2, raw.sendDepth() - ControlSender.SLOTS),
      raw.receiveDepth(), raw.scatterGather(), raw.readsInFlight(), PRIVATE_DATA, raw.maxRegionSize(), raw.maxRegions(),
      raw.completionQueueDepth(), raw.keySize());
  }
}
