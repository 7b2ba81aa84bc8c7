package io.github.vertxrdma.provider.devices.strict;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Wraps a device, with the behaviour of the strictest fabric:
 * <ul>
 * <li>Remote keys have 4 bytes and are chosen by the device, addresses are virtual, immediates have 32 bits.
 * <li>Regions, pinned bytes, queues and reads in flight have low limits.
 * <li>Memory for receives and reads is overwritten until they complete. Sent or written memory must not change before the completion.
 * <li>A plain write completes before it is delivered.
 * <li>A message without a posted receive, or an invalid key, breaks the connection.
 * <li>Unsignalled work completes as flushed when the connection breaks.
 * <li>Queues have no file descriptor and no wake-up.
 * <li>Only the polling thread may call. Work must not exceed the capacity of the completion queue.
 * </ul>
 * Misuse is recorded in {@link #violations}.
 */
public final class StrictDevice extends ForwardingDevice {
  final StrictOptions options;
  private final List<String> violations = new CopyOnWriteArrayList<>();

  private StrictDevice(Device raw, String name, StrictOptions options) {
    super(raw, name);
    this.options = options;
  }

  /** Wraps a device with default options. The prefix {@code strict-} is added to its name. */
  public static StrictDevice over(Device raw) {
    return over(raw, "strict-" + raw.name());
  }

  public static StrictDevice over(Device raw, String name) {
    return over(raw, name, new StrictOptions());
  }

  public static StrictDevice over(Device raw, String name, StrictOptions options) {
    return new StrictDevice(raw, name, options);
  }

  public List<String> violations() {
    return List.copyOf(violations);
  }

  public void clearViolations() {
    violations.clear();
  }

  void violated(String what) {
    violations.add(what + " at " + Arrays.stream(new Throwable().getStackTrace()).skip(2).limit(6).toList());
  }

  @Override
  protected Capabilities change(Capabilities capabilities) {
    return capabilities.toBuilder()
      .immediateBits(Math.min(Integer.SIZE, capabilities.immediateBits()))
      .keyMode(Capabilities.KeyMode.PROVIDER)
      .addressBase(Capabilities.AddressBase.VIRTUAL)
      .noReceive(Capabilities.NoReceive.DISCONNECTS)
      .waiting(Waiting.NONE)
      .pinned(true)
      .receivesInPlace(false)
      .build();
  }

  @Override
  protected Limits change(Limits limits) {
    return new Limits(limits.maxMessageSize(), limits.maxTransferSize(), limits.inlineSize(),
      Math.min(limits.sendDepth(), options.sendDepth()), Math.min(limits.receiveDepth(), options.receiveDepth()), limits.scatterGather(),
      Math.min(limits.readsInFlight(), options.readsInFlight()), limits.privateData(),
      Math.min(limits.maxRegionSize(), options.pinnedBytes()), Math.min(limits.maxRegions(), options.regions()),
      Math.min(limits.completionQueueDepth(), options.completionQueueDepth()), StrictRegion.KEY_SIZE);
  }

  @Override
  public Domain open() {
    return new StrictDomain(this, raw().open());
  }
}
