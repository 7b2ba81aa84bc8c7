package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.base.CallTable;
import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkListener;
import io.github.vertxrdma.impl.poll.LoopHost;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/** Both ends of services, on loops, nodes and directories of the caller. */
public final class SimulatedBus {
  private SimulatedBus() {
  }

  public static byte[] hello() {
    return BusWire.hello();
  }

  /** Returns the entry of a service whose instances speak the current protocol. */
  public static ServiceEntry entry(String name) {
    return new ServiceEntry(name, "node", 1, 0, List.of(), new JsonObject().put(BusServer.PROTOCOL, BusWire.PROTOCOL));
  }

  public static ByteBuf request() {
    ByteBuf message = BusWire.encode(BusWire.REQUEST, 0, 60_000, null, null);
    return message.setInt(message.readerIndex() + BusWire.ID, 1);
  }

  public static void serve(Link link, LoopHost home, int bytes) {
    CallTable<Outstanding> table = Outstanding.table(home, "answers", 1);
    new BusLink(link, home.context().nettyEventLoop(), true, table, 1_000, new BusLink.Owner() {
      @Override
      public void incoming(BusLink from, Received message) {
        from.answer(BusWire.encode(BusWire.REPLY, message.id(), 0, null, Buffer.buffer(new byte[bytes])));
      }

      @Override
      public void draining(BusLink from) {
        throw new AssertionError("not of this test");
      }

      @Override
      public void linkClosed(BusLink from, Throwable cause) {
      }
    });
  }

  public static Future<RdmaBusClient> connect(LoopHost host, BusInstances instances, String name, RdmaBusClientOptions options) {
    return new BusClient(host, () -> Future.succeededFuture(instances), name, options).open();
  }

  /**
   * @param publisher see {@link BusServer#listen}
   * @return closes the server
   */
  public static Future<Supplier<Future<Void>>> listen(LoopHost host, String name, RdmaBusServiceOptions options, int closeMillis,
    BiFunction<JsonObject, LinkListener.Acceptor, Future<Supplier<Future<Void>>>> publisher) {
    BusServer server = new BusServer(host, name, options);
    return server.listen(closeMillis, publisher).map(v -> server::close);
  }
}
