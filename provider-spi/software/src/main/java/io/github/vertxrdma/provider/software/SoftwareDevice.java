package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CapabilitiesBuilder;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.Operation;
import java.util.EnumSet;

/** Device whose operations CPUs execute. Provider and fabric have the device's name. */
public abstract class SoftwareDevice implements Device {
  public static final int PRIVATE_DATA = 1024;
  public static final int SCATTER_GATHER = 16;
  public static final int READS_IN_FLIGHT = 16;
  public static final int MAX_INLINE = 1024;
  public static final int MAX_SENDS = 16 * 1024;
  public static final long MAX_MESSAGE = 1L << 30;
  public static final long MAX_TRANSFER = 1L << 40;

  private final String name;
  private final Reach reach;
  private final Preference preference;
  private final Capabilities capabilities;
  private final Limits limits;

  protected SoftwareDevice(String name, Reach reach, Preference preference, CapabilitiesBuilder capabilities, int keySize) {
    this.name = name;
    this.reach = reach;
    this.preference = preference;
    this.capabilities = capabilities.build();
    limits = new Limits(MAX_MESSAGE, MAX_TRANSFER, MAX_INLINE, MAX_SENDS, 64 * 1024, SCATTER_GATHER, READS_IN_FLIGHT, PRIVATE_DATA,
      Long.MAX_VALUE, 1 << 20, 1 << 20, keySize);
  }

  /** Returns capabilities of devices whose memory owner executes one-sided operations in its poll. Peers wake it. */
  protected static CapabilitiesBuilder common() {
    return Capabilities.builder()
      .add(Operation.SEND_IMMEDIATE, Operation.WRITE_IMMEDIATE, Operation.FETCH_ADD, Operation.COMPARE_SWAP)
      .orders(EnumSet.allOf(Capabilities.Order.class))
      .immediateBits(32)
      .deliveryComplete(true)
      .noReceive(Capabilities.NoReceive.BUFFERS)
      .keyMode(Capabilities.KeyMode.PROVIDER)
      .addressBase(Capabilities.AddressBase.OFFSET)
      .progress(Capabilities.Progress.ANNOUNCED)
      .peerFailureEvents(true)
      .sharedReceive(true)
      .processorAtomics(true);
  }

  @Override
  public final String provider() {
    return name;
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final EndpointType endpointType() {
    return EndpointType.MSG;
  }

  @Override
  public final Reach reach() {
    return reach;
  }

  @Override
  public final Preference preference() {
    return preference;
  }

  @Override
  public String toString() {
    return name;
  }

  @Override
  public final Capabilities capabilities() {
    return capabilities;
  }

  @Override
  public final Limits limits() {
    return limits;
  }
}
