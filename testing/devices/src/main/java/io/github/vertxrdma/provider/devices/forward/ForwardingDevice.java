package io.github.vertxrdma.provider.devices.forward;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.Limits;
import java.util.Objects;

/**
 * A device that forwards calls to another device. It has its own name and fabric, so that endpoints with different changes do not connect.
 */
public class ForwardingDevice implements Device {
  private final Device raw;
  private final String name;

  protected ForwardingDevice(Device raw, String name) {
    this.raw = Objects.requireNonNull(raw);
    this.name = name;
  }

  protected final Device raw() {
    return raw;
  }

  /**
   * Returns the offered capabilities. By default no message is read in place, because a forwarding queue may keep completions for a later
   * poll.
   */
  protected Capabilities change(Capabilities capabilities) {
    return capabilities.toBuilder().receivesInPlace(false).build();
  }

  protected Limits change(Limits limits) {
    return limits;
  }

  @Override
  public String provider() {
    return raw.provider();
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public EndpointType endpointType() {
    return raw.endpointType();
  }

  @Override
  public Reach reach() {
    return raw.reach();
  }

  @Override
  public String subnet() {
    return raw.subnet();
  }

  @Override
  public boolean isOnSubnet(EndpointAddress address) {
    return raw.isOnSubnet(address);
  }

  @Override
  public boolean hasRequestedAddress() {
    return raw.hasRequestedAddress();
  }

  @Override
  public long speed() {
    return raw.speed();
  }

  @Override
  public int numaNode() {
    return raw.numaNode();
  }

  @Override
  public Preference preference() {
    return raw.preference();
  }

  @Override
  public final Capabilities capabilities() {
    return change(raw.capabilities());
  }

  @Override
  public final Limits limits() {
    return change(raw.limits());
  }

  @Override
  public Domain open() {
    return new ForwardingDomain(this, raw.open());
  }

  @Override
  public String toString() {
    return name;
  }
}
