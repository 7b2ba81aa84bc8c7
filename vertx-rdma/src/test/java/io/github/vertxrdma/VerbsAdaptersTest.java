package io.github.vertxrdma;

import io.github.vertxrdma.nic.Nic;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

class VerbsAdaptersTest extends AdaptersContract {
  private static final List<String> NAMES = List.of("mlx5", "nic");

  @Override
  String fabric() {
    return "verbs-rocev2";
  }

  @Override
  RdmaOptions options() {
    // The connection manager gives the addresses of this host to one device only.
    return super.options().setSettings(new JsonObject().put("verbs.device", String.join(",", NAMES)).put("verbs.connect", "exchange"));
  }

  @Override
  List<String> devices() {
    return NAMES.stream().map(name -> VerbsInUserSpace.PREFIX + name).toList();
  }

  @Override
  void carries(int device, boolean it) {
    Nic.built().port(NAMES.get(device), it);
  }

  @AfterEach
  void up() {
    NAMES.forEach(name -> Nic.built().port(name, true));
  }
}
