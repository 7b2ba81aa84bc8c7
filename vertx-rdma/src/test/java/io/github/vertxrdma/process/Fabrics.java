package io.github.vertxrdma.process;

import static io.github.vertxrdma.impl.support.Await.await;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.support.Await;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.function.ThrowingConsumer;

final class Fabrics {
  static final List<String> ALL = List.of("nio", "tcp", "rxm", "shm");

  private final Map<String, Rdma> nodes = new LinkedHashMap<>();
  private final Map<String, String> missing = new LinkedHashMap<>();

  Fabrics(Vertx vertx, String folder, List<String> fabrics) throws Exception {
    this(vertx, new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(folder), fabrics);
  }

  Fabrics(Vertx vertx, DirectoryOptions directory, List<String> fabrics) throws Exception {
    for (String fabric : fabrics) {
      Rdma rdma = Rdma.create(vertx, new RdmaOptions().setFabric(fabric).setDirectory(directory)
        .setConnectTimeout(Duration.ofMillis(Await.PATIENCE_MILLIS)));
      try {
        await(rdma.directory());
        nodes.put(fabric, rdma);
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof RdmaException why) || why.reason() != RdmaException.Reason.UNSUPPORTED) {
          throw e;
        }
        missing.put(fabric, why.getMessage());
      }
    }
  }

  Map<String, Rdma> nodes() {
    return nodes;
  }

  String missing(String fabric) {
    return missing.get(fabric);
  }

  String[] names() {
    return nodes.keySet().toArray(String[]::new);
  }

  Stream<DynamicTest> each(ThrowingConsumer<String> test) {
    return ALL.stream().map(fabric -> DynamicTest.dynamicTest(fabric, () -> {
      Assumptions.assumeTrue(nodes.containsKey(fabric), () -> missing.get(fabric));
      test.accept(fabric);
    }));
  }
}
