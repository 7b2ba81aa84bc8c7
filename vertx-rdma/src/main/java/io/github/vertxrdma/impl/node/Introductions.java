package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.control.ControlLink;
import io.github.vertxrdma.impl.control.ControlLinks;
import io.github.vertxrdma.impl.control.Numbered;
import io.github.vertxrdma.impl.control.Questions;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.loop.EventLoopHost;
import io.github.vertxrdma.impl.opening.LinkOpening;
import io.github.vertxrdma.impl.opening.OutOfBandEnd;
import io.github.vertxrdma.impl.opening.Refusals;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.function.Function;

/**
 * Connects with nodes on devices without listeners: both make an end, and tell each other of it over their control connection. The one that
 * asks is the connector. Thread-safe.
 *
 * <pre>
 * ask     number 4, number of the loop that serves 8, description of the connector's end
 * answer  number 4, 0, then the description of the acceptor's end; or number 4, 1, then why not
 * </pre>
 */
final class Introductions {
  private static final Logger LOG = LoggerFactory.getLogger(Introductions.class);
  /** Format of the addresses in the directory at which nodes are met so: the 8 bytes of {@link LoopService#number()}. */
  private static final String FORMAT = "exchange";
  /** Kinds of control messages. */
  private static final int ASK = 4;
  private static final int ANSWER = 5;

  private final Node node;
  private final Questions questions;
  private final Refusals failures = new Refusals(LOG, System::nanoTime);
  private final Refusals abandoned = new Refusals(LOG::info, System::nanoTime);

  /** Before the control connections listen. */
  Introductions(Node node, ControlLinks control) {
    this.node = node;
    this.questions = new Questions(node.vertx(), control, ASK, ANSWER);
    control.messageHandler(ASK, this::answer);
  }

  /** The meeting point of a loop, for the directory. */
  static EndpointAddress address(LoopService loop) {
    return EndpointAddress.of(FORMAT, Buffer.buffer(Long.BYTES).appendLong(loop.number()).getBytes());
  }

  /** Whether an address of the directory is one of these. */
  static boolean isMet(EndpointAddress address) {
    return address.format().equals(FORMAT);
  }

  /**
   * Connects; on the loop.
   *
   * @param opener makes what stands on the open link and sets its handler; called on the loop
   */
  <T> Future<T> connect(LoopService loop, NodeEntry peer, FabricAddress where, String service, byte[] data, int timeoutMillis,
    Function<Link, T> opener) {
    byte[] number = where.address().bytes();
    if (number.length != Long.BYTES) {
      return Future
        .failedFuture(new RdmaException(Reason.PROTOCOL, "node " + peer.nodeId() + " cannot be met at an address of " + number.length
          + " bytes: there are " + Long.BYTES));
    }
    return OutOfBandEnd.open(loop.loop, timeoutMillis).compose(exchange -> {
      byte[] mine = describe(loop, exchange);
      return ask(peer, Buffer.buffer(number).getLong(0), mine, timeoutMillis).compose(theirs -> EventLoopHost.on(loop.loop.eventLoop(),
        () -> exchange.connect(EndDescription.decode(theirs).address(),
          loop.between(peer.nodeId(), mine, theirs).to(peer.nodeId(), where.device()),
          "node " + peer.nodeId(), service, data, opener)))
        .onFailure(cause -> loop.loop.eventLoop().execute(exchange::close));
    });
  }

  private byte[] describe(LoopService loop, OutOfBandEnd exchange) {
    return new EndDescription(loop.loop.domain.device().fabric(), node.directory().nodeId(), exchange.localAddress()).encode();
  }

  private Future<byte[]> ask(NodeEntry peer, long loop, byte[] mine, int timeoutMillis) {
    if (peer.nodeId().equals(node.directory().nodeId())) {
      return meet(loop, mine);
    }
    return questions.ask(peer, Buffer.buffer().appendLong(loop).appendBytes(mine), timeoutMillis)
      .map(Buffer::getBytes);
  }

  private void answer(ControlLink link, Buffer message) {
    Numbered asked = Numbered.question(message, Long.BYTES);
    meet(asked.rest().getLong(0), asked.rest().getBytes(Long.BYTES, asked.rest().length()))
      .onComplete((mine, cause) -> link.send(ANSWER, Numbered.answer(asked.number(), cause != null, cause == null ? Buffer.buffer(mine)
        : Buffer.buffer("node " + node.directory().nodeId() + ": " + cause.getMessage()))));
  }

  /** Makes an end for the one that is described, and waits for it. @return what describes it */
  private Future<byte[]> meet(long number, byte[] theirs) {
    LoopService loop = node.loop(number);
    if (loop == null) {
      return Future.failedFuture(new RdmaException(Reason.UNREACHABLE, "node " + node.directory().nodeId()
        + " does not serve there (any more); look it up again"));
    }
    EndDescription peer;
    try {
      // Before there is an end of this side, which nobody would close.
      peer = EndDescription.decode(theirs);
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
    return EventLoopHost.on(loop.loop.eventLoop(), () -> OutOfBandEnd.open(loop.loop,
      (int) node.options().getConnectTimeout().toMillis()).compose(exchange -> {
        byte[] mine;
        Future<Link> met;
        try {
          mine = describe(loop, exchange);
          met = exchange.accept(peer.address(), loop.between(peer.nodeId(), theirs, mine), "node " + peer.nodeId(), loop::dispatch);
        } catch (RuntimeException e) {
          exchange.close();
          throw e;
        }
        met.onFailure(cause -> {
          exchange.close();
          (LinkOpening.wasAbandoned(cause) ? abandoned : failures)
            .log("A connection from node " + peer.nodeId() + " over " + loop.loop.domain.device().name() + " was not made: "
              + cause.getMessage());
        });
        return met.failed() ? Future.failedFuture(met.cause()) : Future.succeededFuture(mine);
      }));
  }

  /** Nobody is asked any more. */
  void close() {
    questions.close();
  }
}
