package io.github.vertxrdma.cluster.impl;

import io.github.vertxrdma.impl.peers.DirectoryCache;
import io.github.vertxrdma.provider.contract.parsers.Parser;
import io.github.vertxrdma.provider.contract.parsers.ParserContract;
import java.util.List;
import java.util.Map;
import java.util.Set;

class ParsersTest implements ParserContract {
  private final MapMirror mirror = new MapMirror(new DirectoryCache(), "self", () -> {}, 1_000, System::nanoTime);

  @Override
  public List<Parser> parsers() {
    return List.of(new Parser("map-value", IllegalArgumentException.class, this::mapValue));
  }

  private void mapValue(byte[] bytes) {
    mirror.begin();
    mirror.apply(Map.of("key", bytes).entrySet());
    mirror.tick(Set.of());
    Stored.fromBytes(bytes);
  }
}
