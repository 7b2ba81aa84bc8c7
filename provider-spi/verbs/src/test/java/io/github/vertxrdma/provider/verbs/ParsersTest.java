package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.parsers.Parser;
import io.github.vertxrdma.provider.contract.parsers.ParserContract;
import java.util.List;

class ParsersTest implements ParserContract {
  @Override
  public List<Parser> parsers() {
    return List.of(new Parser("queue-pair-address", ProviderException.class, bytes -> QueuePairAddress.decode(bytes).encode()));
  }
}
