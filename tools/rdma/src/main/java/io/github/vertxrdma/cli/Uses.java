package io.github.vertxrdma.cli;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Requirements;
import io.github.vertxrdma.provider.Selection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

final class Uses {
  private static final Map<String, Requirements> USES = uses();

  private Uses() {
  }

  private static Map<String, Requirements> uses() {
    Map<String, Requirements> uses = new LinkedHashMap<>();
    uses.put("a peer on this host", Requirements.BASIC.withReach(Device.Reach.HOST));
    uses.put("a peer on another host", Requirements.BASIC.withReach(Device.Reach.NETWORK));
    return uses;
  }

  static Map<String, Selection> choose(List<Device> devices) {
    Map<String, Selection> chosen = new LinkedHashMap<>();
    USES.forEach((use, requirements) -> chosen.put(use, Selection.of(requirements, devices)));
    return chosen;
  }
}
