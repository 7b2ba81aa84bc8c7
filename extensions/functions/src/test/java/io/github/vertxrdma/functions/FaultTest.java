package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FaultTest extends Nodes {

  @Test
  void closedServerFailsItsCalls() throws Exception {
    Node server = manager(new FunctionServerOptions().setCores(2));
    FunctionClient invoker = invoker(node(), new LeaseOptions().setWorkers(2));
    Future<Buffer> first = invoker.invoke("never", Buffer.buffer("first"));
    Future<Buffer> second = invoker.invoke("hold", Buffer.buffer("second"));
    until("both run", () -> begun.containsKey("first") && begun.containsKey("second"));
    await(server.manager.close());
    assertFails(Reason.LEASE_ENDED, "its server was closed", first);
    assertFails(Reason.LEASE_ENDED, "its server was closed", second);
    assertTrue(begun.get("first").isCancelled());
    assertEquals(0, invoker.leases().size());
  }

  @Test
  void restartedServerRefusesOldLeases() throws Exception {
    Node server = manager(new FunctionServerOptions().setCores(1));
    RawCaller caller = RawCaller.connect(node().rdma);
    caller.lease(1, 60_000);
    Buffer old = caller.ticket();
    String gone = RawCaller.managerName(server.rdma);
    await(server.manager.close());
    server.manager = FunctionServer.create(server.rdma, new FunctionServerOptions().setCores(1));
    register(server.manager);
    await(server.manager.listen());
    Node client = node();
    until("the new server is known", () -> managerName(client) != null && !managerName(client).equals(gone));
    RawCaller again = RawCaller.connect(client.rdma);
    again.lease(1, 60_000);
    Future<RdmaConnection> refused = again.connectWorker(old);
    RdmaException cause = (RdmaException) assertThrows(ExecutionException.class, () -> await(refused)).getCause();
    assertTrue(cause.getMessage().contains("was not granted by this server since it started"), cause.getMessage());
  }

  private static String managerName(Node node) {
    try {
      return RawCaller.managerName(node.rdma);
    } catch (Exception e) {
      return null;
    }
  }

  @Test
  void laterConnectionOfALeaseReplacesTheFirst() throws Exception {
    manager(new FunctionServerOptions().setCores(1));
    Node client = node();
    RawCaller caller = RawCaller.connect(client.rdma);
    caller.lease(1, 60_000);
    caller.openWorker();
    caller.call(caller.number("secret"), 1 << 6, caller.functionId("never"), 0, 256);
    RdmaConnection first = caller.worker;
    caller.openWorker();
    assertTrue(caller.refusal().contains("has connected again"));
    assertTrue(first != caller.worker);
    caller.call(caller.number("secret"), 1 << 6, caller.functionId("echo"), 0, 256);
    assertEquals(0, caller.status(0));
  }
}
