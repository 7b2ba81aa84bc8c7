package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.parsers.Parser;
import io.github.vertxrdma.provider.contract.parsers.ParserContract;
import java.util.List;

class ParsersTest implements ParserContract {
  @Override
  public List<Parser> parsers() {
    return List.of(new Parser("nio-frames", ProviderException.class, new SocketReading()));
  }
}
