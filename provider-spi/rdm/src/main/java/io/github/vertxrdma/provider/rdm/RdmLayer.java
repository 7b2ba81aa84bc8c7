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
 * Connections over connectionless endpoints, for all RDM providers.
 *
 * <p>A completion queue gets one raw endpoint, which is opened with its first listener or endpoint, and bound to the address that this one
 * requests. Every message starts with a prefix of {@link #PREFIX} bytes: the receiver's connection id, a random number that only the two
 * ends know, a type, and a sequence number, which gives the order of delivery. Messages of the layer use slots of the shared receive queue,
 * which the layer posts again. Slots should have {@link #MIN_SLOT} bytes.
 *
 * <p>docs/protocol.adoc has the bytes, the states and the limits.
 */
public final class RdmLayer {
  /** Bytes at the start of each message. */
  public static final int PREFIX = 16;
  /** Bytes of the longest message of the layer; a shorter slot may lose one, which is repeated. */
  public static final int MIN_SLOT = ControlMessage.MAX_SIZE;
  /** Bytes of private data in connect and accept. */
  public static final int PRIVATE_DATA = 64;
  /** Number of receives to post for messages of the layer, beyond those granted to peers. */
  public static final int RESERVED_RECEIVES = 16;

  private static final SecureRandom RANDOM = new SecureRandom();

  private RdmLayer() {
  }

  /** Returns a domain with connections. @param domain the raw domain; closed with the returned one */
  public static Domain over(RdmDomain domain) {
    return over(domain, System::nanoTime, RANDOM);
  }

  /**
   * Returns a domain with connections, with a given clock and random numbers.
   *
   * @param domain the raw domain; closed with the returned one
   * @param clock nanoseconds, like {@link System#nanoTime()}; called by the threads that poll
   * @param random creates connection ids, which are secrets: of cryptographic quality if strangers can send; called by the same threads
   */
  public static Domain over(RdmDomain domain, LongSupplier clock, RandomGenerator random) {
    return new ConnectedDomain(domain, clock, random);
  }

  /** Maps a raw endpoint's capabilities to those of {@link RdmDevice#capabilities()}. */
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

  /** Maps a raw endpoint's limits to those of {@link RdmDevice#limits()}. */
  public static Limits limits(Limits raw) {
    return new Limits(raw.maxMessageSize(), raw.maxTransferSize(), raw.inlineSize(), Math.max(2, raw.sendDepth() - ControlSender.SLOTS),
      raw.receiveDepth(), raw.scatterGather(), raw.readsInFlight(), PRIVATE_DATA, raw.maxRegionSize(), raw.maxRegions(),
      raw.completionQueueDepth(), raw.keySize());
  }
}
