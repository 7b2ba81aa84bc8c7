package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** Two siw devices of the soft-rdma machine, whose network interfaces go down, which ends their queue pairs. */
@NamedFabric
class NamedFabricAdaptersTest extends AdaptersContract {
  private static final List<String> NAMES = List.of("siw0", "siw1");

  @Override
  String fabric() {
    return System.getProperty(NamedFabric.PROPERTY);
  }

  @Override
  RdmaOptions options() {
    return super.options().setHost("127.0.0.1").setSettings(new JsonObject().put("verbs.device", String.join(",", NAMES)));
  }

  @Override
  List<String> devices() {
    return NAMES.stream().map(name -> VerbsInUserSpace.PREFIX + name).toList();
  }

  @Override
  void carries(int device, boolean it) {
    try {
      Process ip = new ProcessBuilder("ip", "link", "set", "net-" + NAMES.get(device), it ? "up" : "down").redirectErrorStream(true)
        .start();
      String said = new String(ip.getInputStream().readAllBytes());
      assertEquals(0, ip.waitFor(), said);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void up() {
    for (int i = 0; i < NAMES.size(); i++) {
      carries(i, true);
    }
  }
}
