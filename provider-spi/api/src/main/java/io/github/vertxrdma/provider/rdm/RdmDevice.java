package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;

/** A device whose endpoints are connectionless: its provider opens the raw domain, and {@link RdmLayer} makes connections of it. */
public interface RdmDevice extends Device {

  /**
   * Opens the raw domain and tests what it claims. May block: call it off the event loop.
   *
   * @throws io.github.vertxrdma.provider.ProviderException if it cannot be opened, with errno, device and remedy
   */
  RdmDomain openRdm();

  @Override
  default Domain open() {
    return RdmLayer.over(openRdm());
  }
}
