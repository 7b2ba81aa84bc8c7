package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.software.RegionTable;
import java.net.InetAddress;
import java.util.EnumSet;

/** The sockets of this machine, by the calls of Linux or by the channels of the JDK: the wire is the same. */
final class NioDevice implements Device {
  static final String NAME = "nio";
  static final int PRIVATE_DATA = 256;
  static final int SCATTER_GATHER = 16;
  static final int READS_IN_FLIGHT = 16;
  static final int MAX_INLINE = 1024;
  static final int MAX_SENDS = 16 * 1024;
  static final long MAX_MESSAGE = 1L << 30;
  static final long MAX_TRANSFER = 1L << 40;

  private static final Limits LIMITS = new Limits(MAX_MESSAGE, MAX_TRANSFER, MAX_INLINE, MAX_SENDS, 64 * 1024, SCATTER_GATHER,
    READS_IN_FLIGHT, PRIVATE_DATA, Long.MAX_VALUE, 1 << 20, 1 << 20, NioRemoteMemory.KEY_SIZE);

  private final InetAddress host;
  private final boolean linux;
  private final Capabilities capabilities;

  /** @param linux whether Linux's own calls are made, not the JDK's */
  NioDevice(InetAddress host, boolean linux) {
    this.host = host;
    this.linux = linux;
    capabilities = Capabilities.builder()
      .add(Operation.SEND_IMMEDIATE, Operation.WRITE_IMMEDIATE, Operation.FETCH_ADD, Operation.COMPARE_SWAP)
      .orders(EnumSet.allOf(Capabilities.Order.class))
      .immediateBits(32)
      .deliveryComplete(true)
      .noReceive(Capabilities.NoReceive.BUFFERS)
      .keyMode(Capabilities.KeyMode.PROVIDER)
      .addressBase(Capabilities.AddressBase.OFFSET)
      .progress(Capabilities.Progress.MANUAL)
      .peerFailureEvents(true)
      .sharedReceive(true)
      .processorAtomics(true)
      .waiting(linux ? Waiting.FD : Waiting.WAKEUP)
      .build();
  }

  /** An empty set of sockets. */
  SocketSet sockets(RegionTable<?> regions) {
    return linux ? new LinuxSet() : new ChannelSet(regions);
  }

  InetAddress host() {
    return host;
  }

  @Override
  public String provider() {
    return NAME;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String fabric() {
    return NAME;
  }

  @Override
  public EndpointType endpointType() {
    return EndpointType.MSG;
  }

  @Override
  public Reach reach() {
    return Reach.NETWORK;
  }

  @Override
  public Preference preference() {
    return Preference.SOCKETS;
  }

  @Override
  public Capabilities capabilities() {
    return capabilities;
  }

  @Override
  public Limits limits() {
    return LIMITS;
  }

  @Override
  public Domain open() {
    return new NioDomain(this);
  }

  @Override
  public String toString() {
    return NAME + (linux ? " (system calls of Linux)" : " (channels of the JDK)");
  }
}
