package io.github.vertxrdma.process;

import static io.github.vertxrdma.impl.support.Await.await;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Arguments: a folder, a role, fabrics. */
final class PeerProcess {
  /** Listens, and sends while it receives. The input {@code report} prints the result. */
  static final String SERVE = "serve";
  /** Connects, writes, ends, and halts. */
  static final String END = "end";
  static final int MESSAGES = 200;

  private PeerProcess() {
  }

  public static void main(String[] args) throws Exception {
    Vertx vertx = Vertx.vertx();
    List<String> names = List.of(args).subList(2, args.length);
    Fabrics fabrics = new Fabrics(vertx, args[0], names);
    if (args[1].equals(END)) {
      writeAndEnd(fabrics.nodes().get(names.getFirst()), names.getFirst());
      return;
    }
    Map<String, Traffic> last = new LinkedHashMap<>();
    for (String fabric : names) {
      Rdma rdma = fabrics.nodes().get(fabric);
      await(rdma
        .createRegion(new RegionOptions().setName("word over " + fabric).setSize(4096).setAccess(RegionAccess.READ, RegionAccess.ATOMIC)));
      await(rdma.createServer().connectHandler(connection -> {
        Traffic traffic = new Traffic(vertx, connection);
        synchronized (last) {
          last.put(fabric, traffic);
        }
      }).listen("traffic over " + fabric));
    }
    System.out.println("ready");
    for (String line = IO.readln(); line != null; line = IO.readln()) {
      synchronized (last) {
        if (line.equals("end")) {
          for (Traffic traffic : last.values()) {
            traffic.end();
          }
        }
        JsonObject report = new JsonObject();
        last.forEach((fabric, traffic) -> report.put(fabric, new JsonObject().put("sent", traffic.sent())
          .put("received", traffic.received()).put("ended", traffic.isEnded()).put("failure", traffic.failure())));
        System.out.println("report " + report.encode());
      }
    }
    System.exit(0);
  }

  private static void writeAndEnd(Rdma rdma, String fabric) throws Exception {
    RdmaConnection connection = await(rdma.connect("reader over " + fabric));
    // Over sockets, only the control connection reports the end of this process. It opens after the first link.
    await(rdma.statistics(connection.remoteNodeId()));
    for (long i = 0; i < MESSAGES; i++) {
      connection.write(Traffic.message(i));
    }
    // Halts on the event loop, between two calls of the fabric's library.
    connection.end().onFailure(Throwable::printStackTrace).onComplete(ended -> Runtime.getRuntime().halt(ended.succeeded() ? 0 : 1));
  }
}
