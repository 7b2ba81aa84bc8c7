package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.Limits;

/** Device whose endpoints are connectionless: its provider opens the raw domain, and {@link RdmLayer} makes connections from it. */
public interface RdmDevice extends Device {

  @Override
  default EndpointType endpointType() {
    return EndpointType.RDM;
  }

  /** Returns the advertised capabilities, as extended by the layer: {@link RdmLayer#capabilities}. */
  @Override
  Capabilities capabilities();

  /** Returns the limits as changed by the layer: {@link RdmLayer#limits}. */
  @Override
  Limits limits();

  /**
   * Opens the raw domain and tests its capabilities. May block: call it off the event loop.
   *
   * @throws io.github.vertxrdma.provider.ProviderException if it cannot be opened, with errno, device and remedy
   */
  RdmDomain openRdm();

  @Override
  default Domain open() {
    return RdmLayer.over(openRdm());
  }
}
