package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class MutualRegionsTest extends FabricPair {
  @Override
  VertxOptions vertxOptions() {
    return new VertxOptions().setEventLoopPoolSize(1);
  }

  private static MemoryRegion share(Rdma owner, String name) throws Exception {
    return await(owner.createRegion(new RegionOptions().setName(name).setSize(4096).setAccess(RegionAccess.READ, RegionAccess.WRITE)));
  }

  private static void exchange(MemoryRegion here, MemoryRegion there, RemoteRegion toHere, RemoteRegion toThere) throws Exception {
    List<Future<Void>> writes = new ArrayList<>();
    there.notificationHandler(n -> toHere.writeNotify(8, Buffer.buffer("pong"), n.tag()));
    Set<Long> back = ConcurrentHashMap.newKeySet();
    Promise<Void> all = Promise.promise();
    here.notificationHandler(n -> {
      back.add(n.tag());
      if (back.size() == 50) {
        all.tryComplete();
      }
    });
    for (int i = 0; i < 50; i++) {
      writes.add(toThere.writeNotify(0, Buffer.buffer("ping"), i));
    }
    await(Future.all(writes));
    await(all.future());
  }

  private static long links(Rdma node) {
    return statistics(node).devices().stream().flatMap(device -> device.connections().stream())
      .filter(connection -> connection.service().equals("regions")).count();
  }

  @Test
  void theyDoSoOverOneConnectionAndMakeAnotherWhenItIsOver() throws Exception {
    MemoryRegion servers = share(server, "servers");
    MemoryRegion clients = share(client, "clients");
    RemoteRegion toServer = await(client.openRegion("servers"));
    RemoteRegion toClient = await(server.openRegion("clients"));
    assertEquals(1, links(server));
    assertEquals(1, links(client));
    exchange(clients, servers, toClient, toServer);

    await(client.close());
    assertTrue(Set.of(RdmaException.Reason.CLOSED, RdmaException.Reason.CONNECTION_LOST, RdmaException.Reason.REVOKED)
      .contains(reason(toClient.write(0, Buffer.buffer("gone")))));
    client = Rdma.create(clientVertx, options());
    MemoryRegion again = share(client, "again");
    RemoteRegion fresh = await(server.openRegion("again"));
    exchange(again, servers, fresh, await(client.openRegion("servers")));
    // The close of the client does not wait until the server has closed its end.
    until("there is one connection", () -> links(server) == 1);
  }
}
