package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CapabilitiesBuilder;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.Operation;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Connections over connectionless endpoints, made once for every RDM provider.
 *
 * <p>A completion queue gets one raw endpoint, opened with its first listener or endpoint, and bound to the address that one asks for.
 * Every message starts with a prefix of {@link #PREFIX} bytes: the receiver's connection id, a random number that only the two ends know,
 * a type, and a sequence number, by which messages are handed out in the order they were sent. The layer's own messages come in the slots
 * of the shared receive queue, which it posts again by itself. Slots should have {@link #MIN_SLOT} bytes.
 *
 * <p>docs/protocol.adoc has the bytes, the states and the bounds.
 */
public final class RdmLayer {
  /** Bytes at the start of each message. */
  public static final int PREFIX = 16;
  /** Bytes of the longest message of the layer's own; a shorter slot may miss one, which is repeated. */
  public static final int MIN_SLOT = ControlMessage.MAX_SIZE;
  /** Bytes of private data in connect and accept. */
  public static final int PRIVATE_DATA = 64;
  /** Receives to post for the layer's own messages, beyond those granted to peers. */
  public static final int RESERVED_RECEIVES = 16;

  private static final SecureRandom RANDOM = new SecureRandom();

  private RdmLayer() {
  }

  /**
   * A domain with connections.
   *
   * @param domain the raw domain; closed with the one returned
   */
  public static Domain over(RdmDomain domain) {
    return over(domain, System::nanoTime, RANDOM);
  }

  /**
   * A domain with connections, in a world whose time and chance are given.
   *
   * @param domain the raw domain; closed with the one returned
   * @param clock nanoseconds, as {@link System#nanoTime()}; called by the threads that poll
   * @param random makes connection ids, which are secrets: of cryptographic quality where strangers can send; called by the same threads
   */
  public static Domain over(RdmDomain domain, LongSupplier clock, RandomGenerator random) {
    return new ConnectedDomain(domain, clock, random);
  }

  /** Maps a raw endpoint's capabilities to those that {@link RdmDevice#capabilities()} is to say. */
  public static Capabilities capabilities(Capabilities raw) {
    int immediateBits = ImmediateTag.userBits(raw.immediateBits());
    CapabilitiesBuilder builder = raw.toBuilder();
    if (immediateBits == 0) {
      builder.remove(Operation.SEND_IMMEDIATE, Operation.WRITE_IMMEDIATE);
    }
    EnumSet<Capabilities.Order> orders = EnumSet.of(Capabilities.Order.SEND_AFTER_SEND);
    orders.addAll(raw.orders());
    return builder.orders(orders)
      .immediateBits(immediateBits)
      .sharedReceive(true)
      .sharedReceiveOnly(true)
      .messagePrefix(PREFIX)
      .reservedReceives(RESERVED_RECEIVES)
      .peerFailureEvents(false)
      .build();
  }

  /** Maps a raw endpoint's limits to those that {@link RdmDevice#limits()} is to say. */
  public static Limits limits(Limits raw) {
    return new Limits(raw.maxMessageSize(), raw.maxTransferSize(), raw.inlineSize(), Math.max(2, raw.sendDepth() - ControlSender.SLOTS),
      raw.receiveDepth(), raw.scatterGather(), raw.readsInFlight(), PRIVATE_DATA, raw.maxRegionSize(), raw.maxRegions(),
      raw.completionQueueDepth(), raw.keySize());
  }
}
