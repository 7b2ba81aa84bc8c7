package io.github.vertxrdma.perf.work;

import io.vertx.core.Future;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;

/** Opens and closes connections: of a node, or of a {@code NetClient} to a {@code NetServer} on the wildcard address. */
final class Connects extends End {
  private static final String WILDCARD = "0.0.0.0";

  private final NetClient client = vertx.createNetClient();
  /** True if connections are those of a {@code NetClient}. */
  private final boolean sockets;

  Connects(Setup setup) {
    super(setup);
    sockets = setup.stack().equals("tcp") || setup.mode().equals("stream");
  }

  @Override
  public void serve() throws Exception {
    if (sockets) {
      onContext(() -> vertx.createNetServer().connectHandler(c -> c.handler(c::write)).listen(setup.port(), WILDCARD));
    } else {
      onContext(() -> rdma().createServer().connectHandler(c -> c.handler(c::write)).listen(NAME));
    }
  }

  private Future<Void> openAndClose() {
    return sockets ? client.connect(setup.port(), HOST).compose(NetSocket::close) : rdma().connect(NAME).compose(c -> c.close());
  }

  @Override
  public void connect() throws Exception {
    onContext(this::openAndClose);
  }

  @Override
  public Sample run(int size, long nanos) throws Exception {
    return measure(size, nanos, setup.connections(), this::openAndClose);
  }
}
