package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkOpening;
import io.github.vertxrdma.impl.link.OutOfBandEnd;
import io.github.vertxrdma.impl.link.Refusals;
import io.github.vertxrdma.impl.peers.ControlLinks;
import io.github.vertxrdma.impl.peers.Questions;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.function.Function;

/**
 * Connects over devices without listeners: two nodes exchange endpoint addresses over the control connection. Thread-safe. See
 * docs/protocol.adoc.
 */
final class IntroducedConnector {
  private static final Logger LOG = LoggerFactory.getLogger(IntroducedConnector.class);
  /** Format of directory addresses that contain the 8 bytes of {@link LoopService#number}. */
  private static final String FORMAT = "exchange";
  private static final int ASK = 4;
  private static final int ANSWER = 5;

  private final Node node;
  private final Questions questions;
  private final Refusals failures = new Refusals(LOG, System::nanoTime);
  private final Refusals expected = new Refusals(LOG::info, System::nanoTime);

  IntroducedConnector(Node node, ControlLinks control) {
    this.node = node;
    this.questions = new Questions(node.vertx(), control, ASK, ANSWER).answerer(Long.BYTES,
      (link, question) -> accept(link.nodeId(), question.getLong(0), question.getBytes(Long.BYTES, question.length())).map(Buffer::buffer)
        .recover(cause -> Future.failedFuture("node " + node.directory().nodeId() + ": " + cause.getMessage())));
  }

  static EndpointAddress address(LoopService loop) {
    return EndpointAddress.of(FORMAT, Buffer.buffer(Long.BYTES).appendLong(loop.number).getBytes());
  }

  static boolean isIntroduced(EndpointAddress address) {
    return address.format().equals(FORMAT);
  }

  /** Must be called on the loop's thread. @param opener sets the link's handler */
  <T> Future<T> connect(LoopService loop, NodeEntry peer, FabricAddress listener, String service, byte[] data, int timeoutMillis,
    Function<Link, T> opener) {
    byte[] number = listener.address().bytes();
    if (number.length != Long.BYTES) {
      return Future
        .failedFuture(new RdmaException(Reason.PROTOCOL, "the address of node " + peer.nodeId() + " has " + number.length + " bytes "
          + "instead of " + Long.BYTES));
    }
    return OutOfBandEnd.open(loop.loop, timeoutMillis).compose(exchange -> {
      byte[] local = describe(loop, exchange);
      return ask(peer, Buffer.buffer(number).getLong(0), local, timeoutMillis).compose(remote -> LoopCall.on(loop.loop.eventLoop(),
        () -> exchange.connect(EndDescription.decode(remote).address(),
          loop.between(peer.nodeId(), local, remote).to(peer.nodeId(), listener.device()),
          "node " + peer.nodeId(), service, data, opener)))
        .onFailure(cause -> LoopCall.execute(loop.loop.eventLoop(), exchange::close));
    });
  }

  private byte[] describe(LoopService loop, OutOfBandEnd exchange) {
    return new EndDescription(loop.loop.domain.device().fabric(), node.directory().nodeId(), exchange.localAddress()).encode();
  }

  private Future<byte[]> ask(NodeEntry peer, long loop, byte[] local, int timeoutMillis) {
    if (peer.nodeId().equals(node.directory().nodeId())) {
      return accept(peer.nodeId(), loop, local);
    }
    return questions.ask(peer, Buffer.buffer().appendLong(loop).appendBytes(local), timeoutMillis)
      .map(Buffer::getBytes);
  }

  private Future<byte[]> accept(String nodeId, long number, byte[] remote) {
    LoopService loop = node.loops.byNumber(number);
    if (loop == null) {
      return Future.failedFuture(new RdmaException(Reason.UNREACHABLE, "node " + node.directory().nodeId()
        + " has no such server, or has closed it. Look the server up in the directory again"));
    }
    EndDescription peer;
    try {
      // Decoded before an endpoint is opened, because an exception would leak the endpoint.
      peer = EndDescription.decode(remote);
      if (!peer.nodeId().equals(nodeId)) {
        throw new RdmaException(Reason.PROTOCOL, "the description of the endpoint names node " + peer.nodeId() + " in place of " + nodeId);
      }
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
    return LoopCall.on(loop.loop.eventLoop(), () -> OutOfBandEnd.open(loop.loop,
      (int) node.options().getConnectTimeout().toMillis()).compose(exchange -> {
        // Composed, so that an exception also closes the endpoint.
        return Future.succeededFuture().compose(opened -> {
          byte[] local = describe(loop, exchange);
          Future<Link> accepted = exchange.accept(peer.address(), loop.between(peer.nodeId(), remote, local), "node " + peer.nodeId(),
            loop::dispatch).onFailure(
              cause -> (LinkOpening.wasExpected(cause) ? expected : failures)
                .log("A connection from node " + peer.nodeId() + " over " + loop.loop.domain.device().name() + " was not made: "
                  + cause.getMessage()));
          return accepted.failed() ? Future.<byte[]>failedFuture(accepted.cause()) : Future.succeededFuture(local);
        }).onFailure(cause -> exchange.close());
      }));
  }

  void close() {
    questions.close();
  }
}
