package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.parsers.Parser;
import io.github.vertxrdma.provider.contract.parsers.ParserContract;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class ParsersTest implements ParserContract {
  /** Divisor of the number of inputs for other parsers. */
  private static final int COST = Boolean.getBoolean("vertx.rdma.test.full") ? 1 : 10;

  private static Domain domain;

  @BeforeAll
  static void open() {
    domain = ShmDeviceTest.device().open();
  }

  @AfterAll
  static void close() {
    domain.close();
  }

  @Override
  public List<Parser> parsers() {
    return List.of(
      new Parser("shm-messages", ProviderException.class, new SocketMessages(), COST),
      new Parser("shm-key", ProviderException.class, ParsersTest::key));
  }

  /** Reads an address (8 bytes), a length (8) and a key. */
  private static void key(byte[] bytes) {
    ByteBuffer token = ByteBuffer.wrap(Arrays.copyOf(bytes, Math.max(16, bytes.length)));
    domain.remoteMemory(token.getLong(), token.getLong(), Arrays.copyOfRange(token.array(), 16, token.capacity())).close();
  }
}
