package io.github.vertxrdma.provider.devices.profile;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.rdm.RdmDevice;
import io.github.vertxrdma.provider.rdm.RdmDomain;
import io.github.vertxrdma.provider.rdm.RdmLayer;

/**
 * A device without the capabilities that EFA lacks.
 *
 * @param efa the fabric of EFA that the device resembles
 * @param seed seed of the random order in which operations overtake each other
 */
record EfaDevice(RdmDevice base, EfaFabric efa, long seed) implements RdmDevice {

  Capabilities change(Capabilities capabilities) {
    return capabilities.toBuilder()
      .remove(Operation.FETCH_ADD, Operation.COMPARE_SWAP)
      .orders(efa.orders)
      .immediateBits(Math.min(Integer.SIZE, capabilities.immediateBits()))
      .keyMode(Capabilities.KeyMode.PROVIDER)
      .addressBase(Capabilities.AddressBase.VIRTUAL)
      .progress(Capabilities.Progress.MANUAL)
      .waiting(Waiting.NONE)
      .build();
  }

  Limits change(Limits limits) {
    return new Limits(Math.min(limits.maxMessageSize(), efa.messageSize), limits.maxTransferSize(),
      Math.min(limits.inlineSize(), efa.inlineSize),
      limits.sendDepth(), limits.receiveDepth(),
      Math.min(limits.scatterGather(), efa.elements), limits.readsInFlight(), limits.privateData(),
      Math.min(limits.maxRegionSize(), EfaRegion.MAX_SIZE), Math.min(limits.maxRegions(), EfaRegion.MOST), limits.completionQueueDepth(),
      EfaRegion.KEY_SIZE);
  }

  @Override
  public String provider() {
    return ProfileProvider.NAME;
  }

  @Override
  public String name() {
    return efa.profile;
  }

  @Override
  public Reach reach() {
    return base.reach();
  }

  @Override
  public Preference preference() {
    return Preference.TRIAL;
  }

  /** The layer above reserves some of the 32 immediate bits for itself. */
  @Override
  public Capabilities capabilities() {
    return RdmLayer.capabilities(change(base.capabilities().toBuilder()
      .immediateBits(base.capabilities().immediateBits() == 0 ? 0 : Integer.SIZE)
      .build()));
  }

  @Override
  public Limits limits() {
    return change(base.limits());
  }

  @Override
  public RdmDomain openRdm() {
    return new EfaDomain(this, base.openRdm());
  }

  @Override
  public String toString() {
    return name();
  }
}
