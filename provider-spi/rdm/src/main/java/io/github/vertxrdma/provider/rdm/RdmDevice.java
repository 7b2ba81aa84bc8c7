package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.Limits;

/** A device whose endpoints are connectionless: its provider opens the raw domain, and {@link RdmLayer} makes connections of it. */
public interface RdmDevice extends Device {

  @Override
  default EndpointType endpointType() {
    return EndpointType.RDM;
  }

  /** As advertised, with what the layer makes of them: {@link RdmLayer#capabilities}. */
  @Override
  Capabilities capabilities();

  /** With what the layer makes of them: {@link RdmLayer#limits}. */
  @Override
  Limits limits();

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
