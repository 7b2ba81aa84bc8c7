package io.github.vertxrdma.provider;

import static org.junit.jupiter.api.Assertions.*;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DiscoveryOptionsTest {
  @Test
  void settingNamesTheRuntimeFolder() {
    DiscoveryOptions given = new DiscoveryOptions(null, Map.of("runtime", "/run/orders"));
    assertEquals(List.of(Path.of("/run/orders")), given.runtimeFolders(4711));
    assertNull(given.sessionFolder(4711, false));
  }
}
