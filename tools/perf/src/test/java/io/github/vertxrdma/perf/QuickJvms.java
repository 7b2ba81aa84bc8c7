package io.github.vertxrdma.perf;

import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Makes measured processes start faster, and run slower, than those of a user. */
final class QuickJvms implements BeforeAllCallback, AfterAllCallback {
  private static final List<String> PROPERTIES = List.of("perf.jvm.server", "perf.jvm.client");

  @Override
  public void beforeAll(ExtensionContext context) {
    PROPERTIES.forEach(property -> System.setProperty(property, "-Xms64m -XX:TieredStopAtLevel=1"));
  }

  @Override
  public void afterAll(ExtensionContext context) {
    PROPERTIES.forEach(System::clearProperty);
  }
}
