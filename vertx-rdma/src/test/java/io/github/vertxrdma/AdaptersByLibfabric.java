package io.github.vertxrdma;

import io.github.vertxrdma.fi.FiStandIn;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Provides each test of a {@link FabricPair} with the devices of providers for libfabric that behave like those of adapters, if it names
 * one. Withdraws them after the test. Skips the test with the reason if they cannot be built.
 */
final class AdaptersByLibfabric implements BeforeEachCallback, AfterEachCallback {
  static final String EFA = FiStandIn.EFA;
  static final String CXI = "cxi:cxi0";

  private static boolean isNamed(ExtensionContext context) {
    return ((FabricPair) context.getRequiredTestInstance()).devices().stream().anyMatch(List.of(EFA, CXI)::contains);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    if (isNamed(context)) {
      FiStandIn standIn = FiStandIn.built();
      Assumptions.assumeTrue(standIn.missing() == null, standIn::missing);
      standIn.provide();
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    FiStandIn.withdraw();
  }
}
