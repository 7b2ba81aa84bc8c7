package io.github.vertxrdma;

import io.github.vertxrdma.nic.Nic;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Provides each test of a {@link FabricPair} with the verbs devices in user space that it names, such as {@code verbs:mlx5}. Withdraws them
 * after the test, since other tests count the fabrics of this machine. Skips the test with the reason if the devices cannot be built.
 */
final class VerbsInUserSpace implements BeforeEachCallback, AfterEachCallback {
  static final String PREFIX = "verbs:";

  private static List<String> personalities(ExtensionContext context) {
    return ((FabricPair) context.getRequiredTestInstance()).devices().stream().filter(VerbsInUserSpace::provides)
      .map(device -> device.substring(PREFIX.length())).toList();
  }

  static boolean provides(String device) {
    return device.startsWith(PREFIX) && Nic.personalities().contains(device.substring(PREFIX.length()));
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    List<String> names = personalities(context);
    if (!names.isEmpty()) {
      Assumptions.assumeTrue(Nic.built().missing() == null, () -> Nic.built().missing());
      Nic.built().provide(names.toArray(String[]::new));
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    if (!personalities(context).isEmpty()) {
      Nic.withdraw();
    }
  }
}
