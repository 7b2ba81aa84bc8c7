package io.github.vertxrdma;

import org.junit.jupiter.api.BeforeAll;

class IntroducedRemoteMemoryTest extends RemoteMemoryContract {
  private static final String NAME = "memory-introduced-regions";

  @BeforeAll
  static void withoutListeners() {
    IntroducedFabric.named(NAME);
  }

  @Override
  String fabric() {
    return NAME;
  }

  @Override
  RdmaOptions options() {
    RdmaOptions options = super.options();
    return options.setSettings(options.getSettings().copy().put("memory.name", NAME));
  }
}
