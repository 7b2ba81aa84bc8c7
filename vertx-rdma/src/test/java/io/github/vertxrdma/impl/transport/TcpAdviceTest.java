package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.provider.contract.LogLines;
import io.vertx.core.Vertx;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TcpAdviceTest {
  private static final InetSocketAddress SERVER = InetSocketAddress.createUnresolved("shop", 8080);
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
  }

  private List<String> words(DirectoryOptions options) throws Exception {
    DirectoryBackend directory = await(DirectoryBackend.open(vertx, options.setType(DirectoryOptions.STATIC)));
    try (LogLines log = new LogLines(TcpAdvice.class)) {
      TcpAdvice advice = new TcpAdvice();
      advice.noServer(SERVER, directory);
      advice.noServer(SERVER, directory);
      return log.lines();
    }
  }

  private static String line(String others) {
    return "Connections to shop:8080 stay on TCP: the static directory, with " + others
      + ", knows no server there; to reach it over a fabric,"
      + " start it with vertx-rdma, -Dvertx.rdma.streams=all and the same directory and group";
  }

  @Test
  void otherNodesAreCounted() throws Exception {
    assertEquals(List.of(line("0 other nodes")), words(new DirectoryOptions()));
    assertEquals(List.of(line("1 other node")), words(new DirectoryOptions().addEntry(NodeEntry.local("other", 1))));
  }
}
