package io.github.vertxrdma.perf.work;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs each workload for a moment, with both ends in this process. */
@Timeout(60)
class WorkloadTest {
  @TempDir
  private Path folder;

  @ParameterizedTest
  @CsvSource({"rdma,latency,1,1", "rdma,latency,2,4", "rdma,rate,2,1", "rdma,read,1,2", "rdma,write,1,1",
    "rdma,notify,1,1", "rdma,atomic,1,1", "rdma,connection,1,1", "tcp,latency,2,4", "tcp,rate,2,1", "tcp,read,1,1", "tcp,write,1,1",
    "tcp,atomic,1,1", "tcp,connection,1,1", "tcp,stream,1,1", "rdma,service,1,1",
    "rdma,service,2,4", "rdma,address,1,1", "tcp,http,2,1", "rdma,contract,1,1",
    "rdma,contract,2,4", "tcp,contract,2,4", "rdma,function,2,4"})
  void works(String stack, String mode, int connections, int window) throws Exception {
    works(stack, mode, connections, window, new JsonObject());
  }

  @Test
  void zeroCopyMessages() throws Exception {
    works("rdma", "rate", 2, 1, new JsonObject().put("zeroCopy", true));
  }

  @ParameterizedTest
  @CsvSource({"rdma,true", "rdma,false", "tcp,false"})
  void messagesThatAreFilledAndAddedUp(String stack, boolean zeroCopy) throws Exception {
    works(stack, "rate", 2, 1, new JsonObject().put("zeroCopy", zeroCopy).put("touch", true));
  }

  @Test
  void messagesApart() throws Exception {
    works("rdma", "rate", 2, 1, new JsonObject().put("apart", true));
  }

  @ParameterizedTest
  @CsvSource({"tcp,latency,2", "tcp,http,4", "rdma,service,1"})
  @Tag("alone")
  void operationsStartAtTheirPace(String stack, String mode, int connections) throws Exception {
    try (End server = (End) Workload.of(setup(stack, mode, connections, 1, new JsonObject().put("loops", 2)));
      End client = (End) Workload.of(server.setup)) {
      server.serve();
      client.connect();
      client.everyMillis = 20;
      double rate = client.run(64, 200_000_000).messages();
      assertTrue(rate > 0 && rate <= 50.0 * connections + 1, rate + " per second");
    }
  }

  private void works(String stack, String mode, int connections, int window, JsonObject options) throws Exception {
    Setup setup = setup(stack, mode, connections, window, options);
    try (Workload server = Workload.of(setup); Workload client = Workload.of(setup)) {
      server.serve();
      client.connect();
      for (int size : new int[] {64, 20_000}) {
        Sample sample = client.run(size, 20_000_000);
        assertTrue(sample.messages() > 0, sample.toString());
      }
    }
  }

  private Setup setup(String stack, String mode, int connections, int window, JsonObject options) throws Exception {
    return new Setup(stack, mode, "nio", connections, window, folder.toString(), freePort(), options);
  }

  /** Returns a free port outside the range from which the system assigns ports. */
  private static int freePort() throws IOException {
    while (true) {
      try (ServerSocket free = new ServerSocket(ThreadLocalRandom.current().nextInt(20_000, 32_000), 1, InetAddress.getLoopbackAddress())) {
        return free.getLocalPort();
      } catch (BindException e) {
        // Tries another port.
      }
    }
  }
}
