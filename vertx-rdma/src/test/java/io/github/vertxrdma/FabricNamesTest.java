package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.Discovery.Unavailable;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class FabricNamesTest {
  private static final Discovery HERE = discovery(Stream.of("nio", "shm", "tcp", "verbs:mlx5_0"),
    new Unavailable("libfabric", "libfabric.so.1 is not installed", "apt-get install libfabric1"),
    new Unavailable("verbs", "port 2 of mlx5_0 is down", "plug it in"), new Unavailable("cxi", "too old", "install a newer one"),
    new Unavailable("efa", "no EFA device", "attach one"));

  private static Discovery discovery(Stream<String> names, Unavailable... missing) {
    List<Device> devices = names.map(name -> InMemoryFabric.create(name, InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS).device())
      .toList();
    return new Discovery(devices, List.of(missing));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
    "tpc            | did you mean 'tcp'? there are nio, shm, tcp, verbs:mlx5_0",
    "TCP            | did you mean 'tcp'? there are nio, shm, tcp, verbs:mlx5_0",
    "shmm           | did you mean 'shm'? there are nio, shm, tcp, verbs:mlx5_0",
    "verbs:mlx5_1   | verbs: port 2 of mlx5_0 is down — plug it in",
    "verbs-iwarp    | verbs: port 2 of mlx5_0 is down — plug it in",
    "verb:mlx5_0    | did you mean 'verbs:mlx5_0'? there are nio, shm, tcp, verbs:mlx5_0",
    "efaa           | did you mean 'efa'? there are nio, shm, tcp, verbs:mlx5_0",
    "cxi            | cxi: too old — install a newer one",
    "rxm            | libfabric: libfabric.so.1 is not installed — apt-get install libfabric1",
    "rdma           | there are nio, shm, tcp, verbs:mlx5_0. Choose one of them, or set none to use the best",
    "ib             | there are nio, shm, tcp, verbs:mlx5_0. Choose one of them, or set none to use the best",
    "carrier-pigeon | there are nio, shm, tcp, verbs:mlx5_0. Choose one of them, or set none to use the best"})
  void isAnsweredInOneLine(String name, String answer) {
    assertEquals("there is no fabric '" + name + "' here; " + answer, HERE.without(name));
  }

  @Test
  void manyAreNotAllNamed() {
    String first = IntStream.range(0, 10).mapToObj(i -> "verbs:mlx5_" + i).collect(Collectors.joining(", "));
    assertEquals("there is no fabric 'x' here; there are " + first + " and 3 more. Choose one of them, or set none to use the best",
      discovery(IntStream.range(0, 13).mapToObj(i -> "verbs:mlx5_" + i)).without("x"));
    assertEquals("there is no fabric 'x' here; no device can be used. Run ./rdma doctor for the "
      + "reasons", discovery(Stream.of()).without("x"));
  }

  @Test
  void messageNamesAWrongFabricOnce(@TempDir Path folder) throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      RdmaOptions options = new RdmaOptions()
        .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(folder.toString()));
      Rdma rdma = Rdma.create(vertx, options);
      rdma.createServer().connectHandler(connection -> {}).listen("orders").await(20, TimeUnit.SECONDS);
      for (Future<?> named : List.of(Rdma.create(vertx, new RdmaOptions(options).setFabric("nioo")).directory(),
        rdma.connect("orders", new RdmaConnectOptions().setFabric("nioo")))) {
        RdmaException told = assertThrows(RdmaException.class, () -> named.await(20, TimeUnit.SECONDS));
        assertEquals(RdmaException.Reason.UNSUPPORTED, told.reason());
        String words = told.getMessage();
        assertTrue(words.matches("there is no fabric 'nioo' here; did you mean 'nio'\\? there are .*\\bnio\\b.*"), words);
        assertFalse(words.contains("missing") || words.contains("forced") || words.contains(" — "), words);
      }
    } finally {
      vertx.close().await(20, TimeUnit.SECONDS);
    }
  }
}
