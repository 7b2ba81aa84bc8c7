package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.Limits;

/** Device with connectionless endpoints. */
public interface RdmDevice extends Device {

  @Override
  default EndpointType endpointType() {
    return EndpointType.RDM;
  }

  /** Returns {@link RdmLayer#capabilities}. */
  @Override
  Capabilities capabilities();

  /** Returns {@link RdmLayer#limits}. */
  @Override
  Limits limits();

  /**
   * Opens the domain and tests its capabilities. May block.
   *
   * @throws io.github.vertxrdma.provider.ProviderException if it cannot be opened
   */
  RdmDomain openRdm();

  @Override
  default Domain open() {
    return RdmLayer.over(openRdm());
  }
}
