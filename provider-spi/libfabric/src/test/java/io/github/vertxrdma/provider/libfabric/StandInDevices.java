package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.fi.FiStandIn;
import io.github.vertxrdma.provider.contract.Devices;
import java.util.List;
import java.util.Map;
import org.opentest4j.TestAbortedException;

/** The devices of providers that behave like those of adapters. */
final class StandInDevices {
  static final String EFA = FiStandIn.EFA;
  static final String CXI = "cxi:cxi0";
  static final String OPX = "opx:hfi1_0";

  private StandInDevices() {
  }

  /** @throws TestAbortedException with the reason if this machine cannot have them */
  static FiStandIn standIn() {
    FiStandIn standIn = FiStandIn.built();
    if (standIn.missing() != null) {
      throw new TestAbortedException("SKIPPED " + standIn.missing());
    }
    return standIn;
  }

  static FabricDevice.Rdm device(String name) {
    FiStandIn standIn = standIn();
    Map<String, String> settings = Map.of("libfabric", standIn.library().toString());
    return standIn.during(() -> (FabricDevice.Rdm) Devices.require(List.of(new LibfabricProvider()), name, settings));
  }
}
