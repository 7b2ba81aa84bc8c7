package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LateMessagesTest extends Nodes {

  /** While a server checks code it reads no other message of the code's sender. */
  @Test
  void requestBehindCodeIsDroppedWhenItsClientHasLeft() throws Exception {
    String secret = Files.writeString(folder.resolve("secret"), "no more than a test's secret\n").toString();
    Node server = manager(new FunctionServerOptions().setCores(1).setCode(new CodeOptions().setSecretFile(secret)));
    Node client = node();
    RawCaller caller = RawCaller.connect(client.rdma);
    JsonObject lease = new JsonObject().put("op", "lease").put("versions", "1-1").put("workers", 1).put("memory", 65_536)
      .put("slots", 4).put("millis", 3_600_000);
    caller.manager.write(lease.copy().put("mode", "COLD").put("caller", RawCaller.nobody(await(client.rdma.directory()).nodeId()))
      .put("code", new JsonObject().put("bytes", 1).put("secret", true).put("signature", new byte[1])).toBuffer());
    caller.manager.write(Buffer.buffer(new byte[1]));
    caller.manager.write(lease.put("mode", "WARM").toBuffer());
    await(caller.manager.close());
    while (isConnected(server, client)) {
      Thread.onSpinWait();
    }
    until("the code was refused", () -> server.manager.refusals() == 1);
    await(server.manager.bills());
    until("the core is free", () -> server.manager.freeCores() == 1);
    assertEquals(List.of(), await(server.manager.bills()));
  }

  private static boolean isConnected(Node server, Node client) throws Exception {
    String id = await(client.rdma.directory()).nodeId();
    return await(server.rdma.statistics()).devices().stream().flatMap(device -> device.connections().stream())
      .anyMatch(connection -> connection.peer().equals(id));
  }
}
