package io.github.vertxrdma;

import io.github.vertxrdma.fi.FiStandIn;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Provider;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Provides each test of a {@link FabricPair} with the devices of providers for libfabric that behave like those of adapters, if it names
 * one. Withdraws them after the test. Skips the test with the reason if they cannot be built.
 */
final class AdaptersByLibfabric implements BeforeEachCallback, AfterEachCallback {
  static final String EFA = "efa:rdmap0s6-rdm";
  static final String CXI = "cxi:cxi0";
  private static final String LIBRARY = "vertx.rdma.libfabric";

  private static boolean isNamed(ExtensionContext context) {
    return ((FabricPair) context.getRequiredTestInstance()).devices().stream().anyMatch(List.of(EFA, CXI)::contains);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    if (isNamed(context)) {
      FiStandIn standIn = FiStandIn.built();
      Assumptions.assumeTrue(standIn.missing() == null, standIn::missing);
      Map<String, String> settings = Map.of("libfabric", standIn.library().toString());
      standIn.during(() -> Provider.all().stream().filter(provider -> provider.name().equals("libfabric"))
        .map(provider -> provider.discover(new DiscoveryOptions(null, settings))).toList());
      System.setProperty(LIBRARY, standIn.library().toString());
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    if (isNamed(context)) {
      System.clearProperty(LIBRARY);
    }
  }
}
