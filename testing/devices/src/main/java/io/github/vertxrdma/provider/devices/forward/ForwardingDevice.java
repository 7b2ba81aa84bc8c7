package io.github.vertxrdma.provider.devices.forward;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.Limits;
import java.util.List;
import java.util.Objects;

/** Wraps a device and forwards all calls to it. The wrapper has its own name and fabric, so its endpoints do not connect to others. */
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
   * Returns the capabilities that this device offers. The default removes in-place receives, because a forwarding queue may hold
   * completions until a later poll.
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
  public List<String> subnets() {
    return raw.subnets();
  }

  @Override
  public boolean isOnSubnet(EndpointAddress address) {
    return raw.isOnSubnet(address);
  }

  @Override
  public boolean hasHostAddress() {
    return raw.hasHostAddress();
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
